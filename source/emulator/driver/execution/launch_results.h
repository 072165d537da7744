// What zetl diff compares: the memory that kernels could reach, at the end of each launch.
#pragma once

#include <cstdint>
#include <optional>

#include "emulator/module/payload.h"
#include "results/results.h"

namespace zetl::emulator::driver {

class KernelState;

/// A launch is about to begin: what its arguments are, and what is in the allocations that it can reach. Nothing if
/// nobody wants it. Thread-safe.
std::optional<results::Start> startOf(const KernelState& state, const module::Extent& groupCount,
                                      std::uint64_t source) noexcept;

/// A launch has ended on all of its tiles: writes what is now in its images and the allocations that its arguments
/// point to, and in those that pointers in these lead to, if ZETL_RESULTS names a directory. Thread-safe.
void tellResults(const KernelState& state, const module::Extent& groupCount, bool faulted,
                 std::optional<results::Start> start) noexcept;

}  // namespace zetl::emulator::driver
