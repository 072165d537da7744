#include "emulator/driver/execution/memory_operations.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>

#include "emulator/driver/device/device.h"
#include "emulator/driver/execution/command_checks.h"
#include "emulator/driver/execution/event.h"
#include "emulator/driver/execution/stream_workers.h"
#include "emulator/driver/execution/transfer.h"

namespace zetl::emulator::driver {
namespace {

std::uint64_t address(const void* pointer) noexcept { return reinterpret_cast<std::uint64_t>(pointer); }

}  // namespace

void CopyOperation::addTo(Footprint& footprint) const {
    footprint.addresses.insert(footprint.addresses.end(), {address(to_), address(from_)});
}
void RegionCopyOperation::addTo(Footprint& footprint) const {
    footprint.addresses.insert(footprint.addresses.end(), {to_.row(0, 0), from_.row(0, 0)});
}
void FillOperation::addTo(Footprint& footprint) const { footprint.addresses.push_back(address(to_)); }

std::optional<std::uint64_t> RegionSide::end() const noexcept {
    if (region.width == 0 || region.height == 0 || region.depth == 0) return base;
    // Two factors below 2^33 and 2^32, and sums of three of their products, fit in 128 bits.
    using Wide = unsigned __int128;
    const Wide rows = Wide{region.originY} + region.height - 1;
    const Wide slices = Wide{region.originZ} + region.depth - 1;
    const Wide last = Wide{base} + region.originX + rows * pitch + slices * slicePitch + region.width;
    if (last > UINT64_MAX) return std::nullopt;
    return static_cast<std::uint64_t>(last);
}

bool CopyOperation::run(Execution& execution) const {
    const auto busy = copying(execution);
    return copyMemory(execution, address(to_), address(from_), bytes_);
}

bool RegionCopyOperation::run(Execution& execution) const {
    const auto busy = copying(execution);
    const ze_copy_region_t& extent = from_.region;
    for (std::uint32_t z = 0; z < extent.depth; ++z)
        for (std::uint32_t y = 0; y < extent.height; ++y)
            if (!copyMemory(execution, to_.row(y, z), from_.row(y, z), extent.width)) return false;
    return true;
}

FillOperation::FillOperation(void* to, const void* pattern, std::size_t patternBytes, std::size_t bytes)
    : to_(to),
      pattern_(static_cast<const std::byte*>(pattern),
               static_cast<const std::byte*>(pattern) + std::min(patternBytes, std::max<std::size_t>(bytes, 1))),
      bytes_(bytes) {}

bool FillOperation::run(Execution& execution) const {
    const auto busy = copying(execution);
    return fillMemory(execution, address(to_), pattern_, bytes_);
}

bool WriteTimestampOperation::run(Execution& execution) const {
    const std::uint64_t now = execution.device.profile().timestampWidth().cut(execution.device.timestamp());
    return copyMemory(execution, address(to_), address(&now), sizeof now);
}

bool QueryTimestampsOperation::run(Execution& execution) const {
    for (std::size_t i = 0; i < events_.size(); ++i) {
        const auto result = kernelTimestamps(*events_[i], execution.device);
        const auto offset = offsets_.empty() ? i * sizeof result : offsets_[i];
        if (!copyMemory(execution, address(to_) + offset, address(&result), sizeof result)) return false;
    }
    return true;
}

bool HostFunctionOperation::run(Execution& execution) const {
    noteHostCall(execution.checked);
    const StreamWorkers::Away away;
    try {
        function_(data_);
        return true;
    } catch (const abi::__forced_unwind&) {
        throw;  // the exception ends the thread and must pass
    } catch (...) {
        return false;
    }
}

bool ResetEventOperation::run(Execution&) const {
    noteReset(event_);
    event_->reset();
    return true;
}

CommandDetails CopyOperation::details() const {
    return {{"to", fmt::format("{}", to_)}, {"from", fmt::format("{}", from_)}, {"bytes", fmt::format("{}", bytes_)}};
}

CommandDetails RegionCopyOperation::details() const {
    const auto text = [](const RegionSide& side) {
        const ze_copy_region_t& region = side.region;
        return fmt::format("{:#x} ({}, {}, {}) {}x{}x{}", side.base, region.originX, region.originY, region.originZ,
                           region.width, region.height, region.depth);
    };
    return {{"to", text(to_)}, {"from", text(from_)}};
}

CommandDetails FillOperation::details() const {
    return {{"to", fmt::format("{}", to_)}, {"bytes", fmt::format("{}", bytes_)}};
}

CommandDetails WriteTimestampOperation::details() const { return {{"to", fmt::format("{}", fmt::ptr(to_))}}; }

CommandDetails QueryTimestampsOperation::details() const {
    return {{"events", fmt::format("{}", events_.size())}, {"to", fmt::format("{}", to_)}};
}

std::shared_ptr<const Operation> QueryTimestampsOperation::withStates(const StateMap& states) const {
    auto events = events_;
    bool changed = false;
    for (auto& event : events) {
        const auto found = states.find(event);
        if (found == states.end()) continue;
        event = found->second;
        changed = true;
    }
    return changed ? std::make_shared<QueryTimestampsOperation>(std::move(events), to_, offsets_) : nullptr;
}

}  // namespace zetl::emulator::driver
