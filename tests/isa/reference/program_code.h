// Machine code of random programs.
#pragma once

#include <span>
#include <vector>

#include "assembler.h"
#include "reference/flow_program.h"
#include "reference/random_program.h"

namespace zetl::test::reference {

/// Programs `first` to `first + count - 1`.
std::vector<RandomProgram> randomPrograms(std::uint64_t first, std::uint32_t count,
                                          const isa::Architecture& architecture = isa::kXeHpc);
std::vector<FlowProgram> flowPrograms(std::uint64_t first, std::uint32_t count);

/// The code of each, with the end of its thread, assembled in one go. Throws what the assembler throws.
std::vector<Code> codeOf(std::span<const RandomProgram> programs);
std::vector<Code> codeOf(std::span<const FlowProgram> programs);

}  // namespace zetl::test::reference
