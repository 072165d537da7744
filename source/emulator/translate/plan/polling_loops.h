// Loops in which a group may wait for what another group writes.
#pragma once

#include "emulator/isa/code.h"

namespace zetl::emulator::translate {

/// Whether threads that start at the entry may read memory that groups share in a loop, or follow branches that lead
/// anywhere. If not, each group ends whatever others do: local memory and barriers belong to one group.
bool mayPoll(const isa::Program::Code& code, isa::Line entry);

}  // namespace zetl::emulator::translate
