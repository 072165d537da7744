// Finds the source line of an instruction.
#pragma once

#include <cstdint>
#include <string>

namespace zetl::emulator::driver {

class Module;

/// "file:line" of the instruction at that address, from the module's DWARF. Empty if the module was built without -g,
/// or if its line table does not cover the address. Reads the whole table: for faults, not for hot paths. Thread-safe.
std::string sourceLine(const Module& module, std::uint64_t address);

/// The same, then a line "file:line (function)" for each place at which its function was inlined, with that function's
/// caller.
std::string sourceChain(const Module& module, std::uint64_t address);

}  // namespace zetl::emulator::driver
