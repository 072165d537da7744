// Two threads side by side: all that an emulated thread can see, and where it stands.
#pragma once

#include <string>

#include "emulator/isa/program.h"
#include "emulator/isa/thread.h"

namespace zetl::test {

/// In words; empty if there is none. The first by steps, the second translated.
std::string difference(const emulator::isa::Thread& steps, const emulator::isa::Thread& host);

/// The step of one program that is where the other's is; the programs were lowered alike.
const emulator::isa::Step* sameStep(const emulator::isa::Step* step, const emulator::isa::Program& from,
                                    const emulator::isa::Program& to);

}  // namespace zetl::test
