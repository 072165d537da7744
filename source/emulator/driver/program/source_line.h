// From an instruction to the line of source it came from.
#pragma once

#include <cstdint>
#include <string>

namespace zetl::emulator::driver {

class Module;

/// "file:line" of the instruction at that address, from the module's DWARF; empty if the module was built without -g or
/// its line table does not cover the address. Reads the whole table: for faults, not for hot paths. Thread-safe.
std::string sourceLine(const Module& module, std::uint64_t address);

}  // namespace zetl::emulator::driver
