// Instructions that read what other work-items of their sub-group computed: compiled sub-group functions.
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/isa/program.h"

namespace zetl::emulator::check {

/// For each line of the program the lanes whose results it combines or reads, though it was written for all lanes: of a
/// reduction or scan all of them, of a broadcast one. 0 for all other lines. A compiler also combines what lanes add to
/// one word by an atomic, in whatever flow; such lines are left out.
std::vector<std::uint32_t> lanesCrossedBy(const isa::Program& program);

}  // namespace zetl::emulator::check
