#include "emulated.h"

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>

#include "emulator/check/checker.h"
#include "emulator/check/init_check.h"
#include "emulator/check/number_check.h"
#include "kernel_bench.h"

namespace zetl::benchmark::emulator {
namespace {

using ::zetl::emulator::machine::Extent;
namespace bench = ::zetl::emulator::machine::bench;

/// As the driver makes them.
class Checks {
  public:
    Checks(::zetl::emulator::machine::Machine& machine, check::Groups groups) {
        const auto any = {check::Group::memory, check::Group::race, check::Group::barrier};
        if (std::ranges::any_of(any, [&](check::Group group) { return groups.has(group); }))
            checker_.emplace(machine, groups);
        if (groups.has(check::Group::init)) init_.emplace(machine);
        if (groups.has(check::Group::numbers)) numbers_.emplace(machine);
    }
    /// The host has filled the buffer.
    void written(const void* buffer, std::size_t bytes) {
        if (init_) init_->written(reinterpret_cast<std::uint64_t>(buffer), 0, bytes);
    }
    /// How many different mistakes the launch has.
    std::size_t take(const ::zetl::emulator::machine::Dispatch& dispatch) {
        const auto source = [](std::uint64_t) { return std::string(); };
        std::size_t found = 0;
        if (checker_) found += checker_->take(dispatch, source).size();
        if (init_) found += init_->take(dispatch, source).size();
        if (numbers_) found += numbers_->take(dispatch, source).size();
        return found;
    }

  private:
    std::optional<::zetl::emulator::check::Checker> checker_;
    std::optional<::zetl::emulator::check::InitCheck> init_;
    std::optional<::zetl::emulator::check::NumberCheck> numbers_;
};

class Emulated final : public Implementation {
  public:
    Emulated(std::uint32_t workers, bool collecting, const std::string& device) : bench_(device, workers) {
        if (collecting) collecting_ = bench_.tile().collect();
    }
    Emulated(std::uint32_t workers, check::Groups groups, const std::string& device) : bench_(device, workers) {
        checks_.emplace(bench_.machine(), groups);
    }

    /// Of all that the timing model counts: what only makes it faster leaves it as it is.
    std::uint64_t modelChecksum() {
        std::uint64_t sum = 0xcbf29ce484222325;
        const auto add = [&](std::uint64_t value) { sum = (sum ^ value) * 0x100000001b3; };
        std::ranges::for_each(bench_.tile().counters().counts.values, add);
        return sum;
    }

    Outcome measure(const Workload& workload, const Run& run, int repeats) override {
        const auto [known, isNew] = kernels_.try_emplace(workload.kernel);
        if (isNew) known->second = bench_.build(std::string("#define XE 1\n") + workload.source, workload.kernel);
        const bench::Kernel& kernel = known->second;
        if (isNew && checks_) {
            for (const std::uint64_t address : kernel.linked->addresses().data) {  // of constants and variables
                const auto data = bench_.memory().find(address);
                if (data) checks_->written(reinterpret_cast<const void*>(data->begin), data->bytes());
            }
        }
        std::vector<std::uint32_t*> buffers;
        std::vector<bench::Argument> arguments;
        for (const Picture& picture : run.pictures) {
            buffers.push_back(bench_.buffer(picture.texels.size()));
            std::ranges::copy(picture.texels, buffers.back());
            arguments.push_back(bench_.image(stateOf(picture, buffers.back())));
        }
        const std::size_t firstBuffer = buffers.size();
        for (const auto& content : run.buffers) {
            buffers.push_back(bench_.buffer(content.size()));
            arguments.emplace_back(buffers.back());
        }
        for (const std::uint32_t scalar : run.scalars) arguments.emplace_back(scalar);
        const Extent local{run.local[0], run.local[1], 1};
        const Extent groups{run.global[0] / run.local[0], run.global[1] / run.local[1], 1};
        Outcome outcome;
        for (int i = 0; i < repeats; ++i) {
            for (std::size_t b = 0; b < run.buffers.size(); ++b) {
                std::ranges::copy(run.buffers[b], buffers[firstBuffer + b]);
                if (checks_) checks_->written(buffers[firstBuffer + b], run.buffers[b].size() * sizeof(std::uint32_t));
            }
            const Time begin = Time::now();
            const auto dispatch = bench_.run(kernel, local, groups, arguments);
            if (checks_) outcome.findings = checks_->take(*dispatch);
            outcome.time.improve(Time::now().since(begin), i == 0);
            if (dispatch->fault()) throw std::runtime_error(dispatch->fault().describe());
        }
        const std::uint32_t* const result = buffers[firstBuffer + run.result];
        outcome.result.assign(result, result + run.buffers[run.result].size());
        for (std::uint32_t* buffer : buffers) bench_.release(buffer);
        if (collecting_) outcome.model = modelChecksum();
        return outcome;
    }

  private:
    static zetl::isa::xe::SurfaceState stateOf(const Picture& picture, const std::uint32_t* texels) {
        constexpr std::uint16_t kR8G8B8A8Unorm = 0x0c7;
        zetl::isa::xe::SurfaceState state;
        state.type = zetl::isa::xe::SurfaceState::Type::plane;
        state.format = kR8G8B8A8Unorm;
        state.width = picture.width;
        state.height = picture.height;
        state.pitch = picture.width * std::uint32_t{sizeof *texels};
        state.sliceRows = picture.height;
        state.base = reinterpret_cast<std::uint64_t>(texels);
        return state;
    }

    bench::KernelBench bench_;
    std::map<std::string, bench::Kernel> kernels_;
    std::shared_ptr<void> collecting_;  // ends before the bench
    std::optional<Checks> checks_;      // so does it
};

/// Devices by name, each made when a workload needs it.
class Family final : public Implementation {
  public:
    Family(std::uint32_t workers, bool collecting, std::string device)
        : workers_(workers), collecting_(collecting), device_(std::move(device)) {}

    Outcome measure(const Workload& workload, const Run& run, int repeats) override {
        auto& device = devices_[workload.device ? workload.device : device_];
        if (!device)
            device = std::make_unique<Emulated>(workers_, collecting_, workload.device ? workload.device : device_);
        return device->measure(workload, run, repeats);
    }

  private:
    const std::uint32_t workers_;
    const bool collecting_;
    const std::string device_;
    std::map<std::string, std::unique_ptr<Emulated>> devices_;
};

}  // namespace

std::unique_ptr<Implementation> makeEmulated(std::uint32_t workers, bool collecting, const std::string& device) {
    return std::make_unique<Family>(workers, collecting, device);
}

std::unique_ptr<Implementation> makeChecked(std::uint32_t workers, zetl::check::Groups groups,
                                            const std::string& device) {
    return std::make_unique<Emulated>(workers, groups, device);
}

}  // namespace zetl::benchmark::emulator
