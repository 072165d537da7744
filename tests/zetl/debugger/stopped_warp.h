// A warp of an NVIDIA GPU that stands, whose registers and memories hold what a test puts there.
#pragma once

#include <ze_tools_layer/lane_memory.h>

#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "core/architecture.h"
#include "core/link.h"

namespace zetl::debugger {

inline constexpr unsigned kWarpLane = 20;
inline constexpr std::uint32_t kGeneralSet = 1;  // the driver's numbers of sets
inline constexpr std::uint32_t kCounterSet = 5;
inline constexpr std::uint32_t kFaultCounterSet = 6;
inline constexpr std::uint32_t kLaneMaskSet = 9;
inline constexpr ThreadId kWarpThread{0, 1, 0, 0};

/// Only its lane kWarpLane is there.
class StoppedWarp : public Link {
  public:
    const Architecture& architecture() const override { return cuda(); }
    const ThreadShape& shape() const override { return shape_; }
    const std::vector<zet_debug_regset_properties_t>& registerSets() const override { return sets_; }
    ze_result_t readEvent(std::uint64_t, zet_debug_event_t&) override { return ZE_RESULT_NOT_READY; }
    ze_result_t acknowledge(const zet_debug_event_t&) override { return ZE_RESULT_SUCCESS; }
    ze_result_t interrupt(const ThreadId&) override { return ZE_RESULT_SUCCESS; }
    ze_result_t resume(const ThreadId&) override { return ZE_RESULT_SUCCESS; }
    ze_result_t readMemory(const ThreadId&, zet_debug_memory_space_type_t space, std::uint64_t address,
                           std::size_t bytes, void* buffer) override {
        const auto found = memory.find({space, address});
        if (found == memory.end() || bytes > found->second.size()) return ZE_RESULT_ERROR_NOT_AVAILABLE;
        std::memcpy(buffer, found->second.data(), bytes);
        return ZE_RESULT_SUCCESS;
    }
    ze_result_t writeMemory(const ThreadId&, zet_debug_memory_space_type_t space, std::uint64_t address,
                            std::size_t bytes, const void* buffer) override {
        const auto* const first = static_cast<const std::uint8_t*>(buffer);
        memory[{space, address}].assign(first, first + bytes);
        return ZE_RESULT_SUCCESS;
    }
    ze_result_t setBreakpoint(std::uint64_t, bool) override { return ZE_RESULT_SUCCESS; }
    ze_result_t readRegisters(const ThreadId&, std::uint32_t type, std::uint32_t first, std::uint32_t count,
                              void* values) override {
        const auto bytes = bytesOf(type);
        std::memset(values, 0, bytes * count);
        if (type == kCounterSet) std::memcpy(values, &counter, sizeof counter);
        if (type == kLaneMaskSet)
            for (std::uint32_t i = 0; i < count; ++i)
                std::memcpy(static_cast<char*>(values) + i * bytes, &kLanes, bytes);
        const auto found = words.find({type, first});
        if (found != words.end()) std::memcpy(static_cast<char*>(values) + 4 * kWarpLane, &found->second, 4);
        return ZE_RESULT_SUCCESS;
    }
    ze_result_t writeRegisters(const ThreadId&, std::uint32_t type, std::uint32_t first, std::uint32_t,
                               const void* values) override {
        std::memcpy(&words[{type, first}], static_cast<const char*>(values) + 4 * kWarpLane, 4);
        return ZE_RESULT_SUCCESS;
    }

    std::uint64_t counter = 0;
    std::map<std::pair<int, std::uint64_t>, Bytes> memory;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> words;  ///< of kWarpLane, by set and register

  private:
    static constexpr std::uint32_t kLanes = 1u << kWarpLane;

    struct SetRow {
        std::uint32_t type;
        std::uint32_t count;
        std::uint32_t bytes;
    };
    static constexpr SetRow kSets[] = {
        {kGeneralSet, 255, 128}, {kCounterSet, 1, 8}, {kFaultCounterSet, 1, 8}, {kLaneMaskSet, 2, 4}};

    static std::size_t bytesOf(std::uint32_t type) {
        for (const auto& each : kSets)
            if (each.type == type) return each.bytes;
        return 4;
    }
    const ThreadShape shape_{1, 2, 4, 16};
    const std::vector<zet_debug_regset_properties_t> sets_ = [] {
        std::vector<zet_debug_regset_properties_t> all;
        for (const auto& each : kSets) {
            zet_debug_regset_properties_t set{};
            set.type = each.type;
            set.byteSize = each.bytes;
            set.count = each.count;
            all.push_back(set);
        }
        return all;
    }();
};

}  // namespace zetl::debugger
