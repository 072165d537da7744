// Launches of a workload while a tool collects, or without one.
#pragma once

#include <optional>
#include <vector>

#include "emulator/machine/counters.h"
#include "emulator/machine/model_detail.h"
#include "emulator/machine/profile.h"
#include "workload.h"

namespace zetl::benchmark::emulator {

namespace machine = ::zetl::emulator::machine;

struct CollectedLaunch {
    double seconds = 0;  ///< of a processor
    machine::Counts counts;
};

/// In their order, on a device of their own with one worker. Without a detail nobody collects.
std::vector<CollectedLaunch> launchCollected(const machine::Profile& profile, const Workload& workload, const Run& run,
                                             int repeats, std::optional<machine::ModelDetail> detail);

/// The least time of all launches from this one on.
double leastSeconds(const std::vector<CollectedLaunch>& launches, std::size_t first = 0);

/// In percent of the exact one.
double percentOff(std::uint64_t value, std::uint64_t exact);

}  // namespace zetl::benchmark::emulator
