// The machine's counters under the names that the hardware's metrics give them.
#pragma once

#include <ze_tools_layer/device_access.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "emulator/machine/counters.h"

namespace zetl::emulator::access {

/// Position in catalog(), stable for a version of the plan format.
using CounterIndex = std::uint16_t;

std::span<const zetl_counter_info_t> catalog();
std::optional<CounterIndex> find(std::string_view name);
std::uint64_t valueOf(CounterIndex counter, const machine::Snapshot& snapshot);
/// Queries count the cycles of the work alone: idle time between begin and end depends on the host.
bool isCoreClock(CounterIndex counter);

/// What a plan's bytes say. Plans are untrusted when they come back.
struct Plan {
    zetl_source_t source = ZETL_SOURCE_QUERY;
    std::vector<CounterIndex> counters;

    static std::optional<Plan> parse(const void* bytes, std::uint64_t size);
    std::vector<std::uint8_t> bytes() const;
    /// Stream reports hold the counters as they stood; query reports the time of the begin, then differences.
    std::uint64_t reportWords() const noexcept { return counters.size() + (source == ZETL_SOURCE_QUERY ? 1 : 0); }
    std::uint64_t reportBytes() const noexcept { return reportWords() * sizeof(std::uint64_t); }
    /// Word of the report that holds the counter; nothing if the plan lacks it.
    std::optional<std::size_t> word(CounterIndex counter) const;
};

}  // namespace zetl::emulator::access
