// Kernel launches as recorded commands.
#pragma once

#include <level_zero/ze_api.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "emulator/driver/execution/operation.h"
#include "emulator/driver/program/kernel.h"
#include "emulator/machine/machine.h"

namespace zetl::emulator::driver {

class PrintfBuffer;
class ScaledLaunch;

/// A kernel with the arguments and sizes that it had when the launch was appended.
class KernelSnapshot {
  public:
    explicit KernelSnapshot(const Kernel& kernel);

    /// Whether the launch can be recorded: INVALID_ARGUMENT (also a grid too large to be counted), UNSUPPORTED_FEATURE
    /// (images), OUT_OF_DEVICE_MEMORY (local memory) ...
    Status check(Device& device, const module::Extent& groupCount) const;
    /// Executes it on all tiles of the device and waits for the end. Returns false after a fault, which has been
    /// logged.
    bool run(Execution& execution, const module::Extent& groupCount) const;

    // Codes: kernel_state.h.
    Status setArgument(std::uint32_t index, std::size_t size, const void* value) {
        return state_.setArgument(index, size, value);
    }
    Status setGroupSize(const module::Extent& size);
    void setGlobalOffset(const module::Extent& offset) { state_.setGlobalOffset(offset); }

    void addTo(Footprint& footprint) const;

    const binary::KernelImage& image() const noexcept { return state_.image(); }
    const KernelState& state() const noexcept { return state_; }

  private:
    /// What all tiles are given for a launch with so many groups, and where its cross-thread data lie.
    struct Prepared {
        machine::Launch launch;
        std::uint32_t crossThreadAt = 0;
    };
    std::optional<Prepared> prepare(const module::Extent& groupCount, std::uint64_t printfBuffer) const;
    /// Where the program has put it among its other commands.
    struct Place {
        std::uint64_t command = 0;     ///< for checks
        std::uint64_t submission = 0;  ///< Execution::submission, behind
        std::uint64_t behind = 0;
    };
    /// Gives a part of it the private memory of its tile. Returns false if there is none.
    bool givePrivateMemory(machine::Launch& launch, const machine::Tile& tile, std::uint32_t crossThreadAt) const;
    /// Submits it on all tiles of the device. Returns false, and logs a line, if it runs on some tiles only, or on
    /// none.
    bool submit(ScaledLaunch& launched, Device& device, const module::Extent& groupCount,
                const std::shared_ptr<PrintfBuffer>& printf, const Place& place) const;
    std::string tooMany(const module::Extent& groupCount) const;

    std::shared_ptr<Module> module_;  ///< keeps the state's image alive
    std::shared_ptr<KernelMemory> memory_;
    KernelState state_;
};

/// A launch whose group count is known, or read from memory when it executes.
class LaunchOperation final : public Operation {
  public:
    LaunchOperation(KernelSnapshot kernel, const module::Extent& groupCount)
        : kernel_(std::move(kernel)), groupCount_(groupCount) {}
    LaunchOperation(KernelSnapshot kernel, const ze_group_count_t* groupCount)
        : kernel_(std::move(kernel)), indirect_(groupCount) {}

    bool run(Execution& execution) const override;
    CommandKind kind() const noexcept override { return CommandKind::kernel; }
    const char* name() const noexcept override { return "kernel launch"; }
    CommandDetails details() const override;
    void addTo(Footprint& footprint) const override { kernel_.addTo(footprint); }

    // Changes, with the codes of the functions that set the same of a kernel.
    Status setArgument(std::uint32_t index, std::size_t size, const void* value) {
        return kernel_.setArgument(index, size, value);
    }
    Status setGroupSize(const module::Extent& size) { return kernel_.setGroupSize(size); }
    Status setGlobalOffset(const module::Extent& offset) {
        kernel_.setGlobalOffset(offset);
        return ZE_RESULT_SUCCESS;
    }
    /// With the state that it has now.
    Status setKernel(const std::shared_ptr<Kernel>& kernel) {
        kernel_ = KernelSnapshot(*kernel);
        return ZE_RESULT_SUCCESS;
    }
    /// INVALID_ARGUMENT if the count is read from memory.
    Status setGroupCount(const module::Extent& groupCount);
    /// Whether it can be recorded with its present arguments.
    Status check(Device& device) const { return kernel_.check(device, groupCount_); }

  private:
    KernelSnapshot kernel_;
    module::Extent groupCount_{1, 1, 1};
    const ze_group_count_t* indirect_ = nullptr;
};

/// Several launches. Their number and their group counts are read from memory when they execute.
class MultipleLaunchOperation final : public Operation {
  public:
    MultipleLaunchOperation(std::vector<KernelSnapshot> kernels, const std::uint32_t* count,
                            const ze_group_count_t* groupCounts)
        : kernels_(std::move(kernels)), count_(count), groupCounts_(groupCounts) {}

    bool run(Execution& execution) const override;
    CommandKind kind() const noexcept override { return CommandKind::kernel; }
    const char* name() const noexcept override { return "multiple kernel launch"; }
    CommandDetails details() const override;
    std::uint32_t steps() const noexcept override {
        return std::max<std::uint32_t>(1, static_cast<std::uint32_t>(kernels_.size()));
    }
    void addTo(Footprint& footprint) const override {
        for (const KernelSnapshot& each : kernels_) each.addTo(footprint);
    }

  private:
    std::vector<KernelSnapshot> kernels_;
    const std::uint32_t* count_;
    const ze_group_count_t* groupCounts_;
};

}  // namespace zetl::emulator::driver
