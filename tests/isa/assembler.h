// The vendor's assembler and disassembler as the tests use them: one process for a whole list of instructions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "isa/xe/architecture.h"

namespace zetl::test {

using Code = std::vector<std::byte>;

/// Machine code of the lines; every instruction has 16 bytes. Throws std::runtime_error with the assembler's message.
Code assemble(std::string_view text, const zetl::isa::xe::Architecture& architecture = zetl::isa::xe::kXeHpc);

/// The same, followed by the end-of-thread message that every program needs.
Code assembleProgram(std::string_view text, const zetl::isa::xe::Architecture& architecture = zetl::isa::xe::kXeHpc);

/// Whether there is an assembler for the architecture. That of Debian 12 writes what Xe-HPC, Xe2 and Xe3 have in
/// common; for Xe3P ZETL_IGA64 names that of Debian's unstable release (libigc2-tools).
bool canAssemble(const zetl::isa::xe::Architecture& architecture);

/// One line for each instruction as "ADDRESS text": hexadecimal address, single blanks, no annotations except EOT and
/// ExBSO.
std::vector<std::string> disassemble(const Code& code);

/// One line of disassembly without annotations, as disassemble() shortens it.
std::string normalized(std::string_view line);

/// A native module (zebin) compiled for the device from OpenCL C.
std::vector<std::byte> compileModule(const std::string& sourcePath, const std::string& options,
                                     std::string_view product = "pvc");

}  // namespace zetl::test
