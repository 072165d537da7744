// What the model found about a part of the work, for all of it.
#pragma once

#include <cstdint>

#include "emulator/machine/counters.h"

namespace zetl::emulator::machine {

/// Counts of the model about so many replayed instructions become those of all executed ones. Sums that hold among
/// counts still do.
Counts scaledToAll(Counts counts, std::uint64_t executed, std::uint64_t replayed, std::uint64_t lineBytes) noexcept;

}  // namespace zetl::emulator::machine
