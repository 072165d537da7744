// What the model found about a part of the work, for all of it.
#pragma once

#include <cstdint>

#include "emulator/machine/counters.h"
#include "emulator/machine/model/executed.h"

namespace zetl::emulator::machine {

/// Counts of the model about what was replayed become those of all that was executed. Sums that hold among counts still
/// do.
Counts scaledToAll(Counts counts, const Executed& all, const Executed& replayed, std::uint64_t lineBytes) noexcept;

}  // namespace zetl::emulator::machine
