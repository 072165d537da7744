// One process's counts on a device so far.
#pragma once

#include <array>
#include <cstdint>

#include "emulator/machine/counters.h"
#include "emulator/machine/profile.h"

namespace zetl::emulator::peers {

struct TileCounts {
    std::uint64_t workTime = 0;  ///< machine::Snapshot::workTime
    machine::Counts counts;
    std::uint64_t settledAt = 0;  ///< machine::Snapshot::settledAt
    std::uint64_t inFlight = 0;   ///< machine::Snapshot::inFlight
    bool operator==(const TileCounts&) const = default;
};

/// By tile; those that the device lacks stay 0.
using DeviceCounts = std::array<TileCounts, machine::kMaxTiles>;

}  // namespace zetl::emulator::peers
