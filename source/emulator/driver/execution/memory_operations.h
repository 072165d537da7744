// Commands other than launches: copies, fills, timestamps, events, calls of the host.
#pragma once

#include <level_zero/ze_api.h>

#include <cstddef>
#include <optional>
#include <vector>

#include "emulator/driver/execution/operation.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::emulator::driver {

/// Commands execute in order, so it only marks the place.
class BarrierOperation final : public Operation {
  public:
    bool run(Execution&) const override { return true; }
    CommandKind kind() const noexcept override { return CommandKind::barrier; }
    const char* name() const noexcept override { return "barrier"; }
};

class CopyOperation final : public Operation {
  public:
    CopyOperation(void* to, const void* from, std::size_t bytes) noexcept : to_(to), from_(from), bytes_(bytes) {}
    bool run(Execution& execution) const override;
    CommandKind kind() const noexcept override { return CommandKind::copy; }
    const char* name() const noexcept override { return "memory copy"; }
    CommandDetails details() const override;
    void addTo(Footprint& footprint) const override;

  private:
    void* to_;
    const void* from_;
    std::size_t bytes_;
};

/// One side of a region copy: base, origin and pitches in bytes.
struct RegionSide {
    std::uint64_t base = 0;
    ze_copy_region_t region{};
    std::uint64_t pitch = 0;
    std::uint64_t slicePitch = 0;

    /// Address of the first byte of a row.
    std::uint64_t row(std::uint32_t y, std::uint32_t z) const noexcept {
        return base + region.originX + (std::uint64_t{region.originY} + y) * pitch +
               (std::uint64_t{region.originZ} + z) * slicePitch;
    }
    /// The address behind the last byte; nothing if it is beyond all addresses.
    std::optional<std::uint64_t> end() const noexcept;
};

class RegionCopyOperation final : public Operation {
  public:
    RegionCopyOperation(const RegionSide& to, const RegionSide& from) noexcept : to_(to), from_(from) {}
    bool run(Execution& execution) const override;
    CommandKind kind() const noexcept override { return CommandKind::copy; }
    const char* name() const noexcept override { return "memory region copy"; }
    CommandDetails details() const override;
    void addTo(Footprint& footprint) const override;

  private:
    RegionSide to_;
    RegionSide from_;
};

class FillOperation final : public Operation {
  public:
    /// Of a pattern that is longer than what is filled, only the beginning is read.
    FillOperation(void* to, const void* pattern, std::size_t patternBytes, std::size_t bytes);
    bool run(Execution& execution) const override;
    CommandKind kind() const noexcept override { return CommandKind::copy; }
    const char* name() const noexcept override { return "memory fill"; }
    CommandDetails details() const override;
    void addTo(Footprint& footprint) const override;

  private:
    void* to_;
    std::vector<std::byte> pattern_;
    std::size_t bytes_;
};

/// Writes the device's global timestamp, 8 bytes.
class WriteTimestampOperation final : public Operation {
  public:
    explicit WriteTimestampOperation(std::uint64_t* to) noexcept : to_(to) {}
    bool run(Execution& execution) const override;
    const char* name() const noexcept override { return "global timestamp"; }
    CommandDetails details() const override;

  private:
    std::uint64_t* to_;
};

/// Writes the kernel timestamps of events, one ze_kernel_timestamp_result_t each, one after the other or at given
/// offsets.
class QueryTimestampsOperation final : public Operation {
  public:
    QueryTimestampsOperation(std::vector<std::shared_ptr<SignalState>> events, void* to,
                             std::vector<std::size_t> offsets) noexcept
        : events_(std::move(events)), to_(to), offsets_(std::move(offsets)) {}
    bool run(Execution& execution) const override;
    const char* name() const noexcept override { return "kernel timestamp query"; }
    CommandDetails details() const override;
    std::shared_ptr<const Operation> withStates(const StateMap& states) const override;

  private:
    std::vector<std::shared_ptr<SignalState>> events_;
    void* to_;
    std::vector<std::size_t> offsets_;
};

/// Calls the application on the queue's worker. If the call throws, that is a fault.
class HostFunctionOperation final : public Operation {
  public:
    HostFunctionOperation(ze_host_function_callback_t function, void* data) noexcept
        : function_(function), data_(data) {}
    bool run(Execution& execution) const override;
    const char* name() const noexcept override { return "host function"; }
    bool isWork() const noexcept override { return true; }

  private:
    ze_host_function_callback_t function_;
    void* data_;
};

/// Makes an event unsignalled.
class ResetEventOperation final : public Operation {
  public:
    explicit ResetEventOperation(std::shared_ptr<SignalState> event) noexcept : event_(std::move(event)) {}
    bool run(Execution& execution) const override;
    const char* name() const noexcept override { return "event reset"; }
    const SignalState* resets() const noexcept override { return event_.get(); }

  private:
    std::shared_ptr<SignalState> event_;
};

}  // namespace zetl::emulator::driver
