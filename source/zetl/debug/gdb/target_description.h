// The registers of a hardware thread, as GDB's remote protocol numbers them.
//
// A stock gdb takes a description only if it has an architecture that gdb knows, with the registers that gdb expects of
// it. None knows this GPU. So the description is one of x86-64, which agrees with the GPU in byte order and in the size
// of addresses: its rip is the GPU's program counter, its other registers have no value, and the GPU's own follow under
// names that x86-64 does not have.
#pragma once

#include <string>
#include <vector>

#include "core/link.h"

namespace zetl::debugger::gdb {

struct Register {
    enum class Kind : std::uint8_t {
        device,          ///< of a set of the device
        programCounter,  ///< computed
        stackPointer,    ///< nothing, which gdb takes for a stack that ends here
        absent,          ///< x86-64 alone has it
    };
    std::string name;
    const char* valueType;
    std::uint32_t bytes = 0;
    Kind kind = Kind::device;
    std::uint32_t set = 0;
    std::uint32_t index = 0;
    bool writable = false;
};

/// Those that gdb expects of x86-64, then all sets of the device in their order.
std::vector<Register> registersOf(const Link& link);
/// How many the former are.
std::size_t expectedRegisters();

/// The target description, XML of gdb-target.dtd.
std::string describe(const std::vector<Register>& registers);

}  // namespace zetl::debugger::gdb
