// The registers of a hardware thread, as GDB's remote protocol numbers them.
#pragma once

#include <string>
#include <vector>

#include "core/link.h"

namespace zetl::debugger::gdb {

struct Register {
    std::string name;
    std::uint32_t type = 0, index = 0;  ///< set, and register in it
    std::uint32_t bytes = 0;
    bool writable = false;
    bool isAddress = false;  ///< the program counter: no register of the device's, computed
};

/// All sets of the device in their order, the program counter last.
std::vector<Register> registersOf(const Link& link);

/// The target description, XML of gdb-target.dtd.
std::string describe(const std::vector<Register>& registers);

}  // namespace zetl::debugger::gdb
