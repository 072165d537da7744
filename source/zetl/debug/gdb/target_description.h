// The registers of a hardware thread, as GDB's remote protocol numbers them.
//
// A stock gdb accepts a description only if it knows the architecture and finds the expected registers. No gdb knows
// this GPU. So this describes an x86-64, which has the GPU's byte order and address size: rip is the GPU's program
// counter, other x86-64 registers have no value, and the GPU's registers follow under names that x86-64 does not have.
#pragma once

#include <string>
#include <vector>

#include "core/link.h"

namespace zetl::debugger::gdb {

struct Register {
    enum class Kind : std::uint8_t {
        device,          ///< of a set of the device
        programCounter,  ///< computed
        stackPointer,    ///< 0, which gdb takes for the end of the stack
        absent,          ///< exists only on x86-64
    };
    std::string name;
    const char* valueType;
    std::uint32_t bytes = 0;
    Kind kind = Kind::device;
    std::uint32_t set = 0;
    std::uint32_t index = 0;
    bool writable = false;
};

/// The registers that gdb expects on x86-64, then all sets of the device in their order.
std::vector<Register> registersOf(const Link& link);
/// The number of the x86-64 registers.
std::size_t expectedRegisters();

/// The target description, XML of gdb-target.dtd.
std::string describe(const std::vector<Register>& registers, const std::string& feature);

}  // namespace zetl::debugger::gdb
