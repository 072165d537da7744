// The machine's counters under the names that the hardware's metrics use.
#pragma once

#include <ze_tools_layer/device_access.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "emulator/machine/counters.h"
#include "provider/word_plan.h"

namespace zetl::emulator::access {

/// Position in catalog().
using CounterIndex = std::uint16_t;

std::span<const zetl_counter_info_t> catalog();
std::optional<CounterIndex> find(std::string_view name);
std::uint64_t valueOf(CounterIndex counter, const machine::Snapshot& snapshot);
/// Queries count only the cycles of the work: idle time between begin and end depends on the host.
bool isCoreClock(CounterIndex counter);

/// Whether all of them, except the core clock, are counted exactly. A query of such counters needs of the timing model
/// only its clock by counts alone (machine::Counter::issueCycles).
bool areCounted(std::span<const CounterIndex> counters);

/// The counters of a plan, which is untrusted; nothing if there is no such counter.
std::optional<std::vector<CounterIndex>> countersOf(const provider::WordPlan& plan);

}  // namespace zetl::emulator::access
