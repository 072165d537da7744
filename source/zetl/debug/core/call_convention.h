// How compiled code calls functions.
#pragma once

#include <cstdint>
#include <vector>

namespace zetl::debugger {

/// How compiled code calls functions that have a stack. The words are those of vISA's "stack call" convention, which
/// the compilers 22.43 and 26.27 follow. Each number, and each component of a vector, begins a register and has one
/// element for each lane.
struct CallConvention {
    unsigned targetRegister = 0;  ///< from which the debugger's code takes the function's address
    unsigned firstRegister = 0;   ///< of arguments and of the result
    unsigned argumentRegisters = 0;
    unsigned resultRegisters = 0;
    unsigned linkRegister = 0;      ///< where a call saves its return address, and the lanes that its caller has
    unsigned linkDword = 0;         ///< from which on
    unsigned stackDword = 0;        ///< of that register: the end of the stack for registers
    unsigned frameQword = 0;        ///< of that register: the end of the stack for variables, as an address
    std::uint32_t unsafeBytes = 0;  ///< behind it, where a prologue may be writing
    int spillQword = -1;            ///< of the scalar register: where the stack for registers begins; -1: a state base
};

/// Code that a debugger executes to call a function: the call itself, an illegal instruction behind it, and a return.
struct CallCode {
    std::vector<std::uint8_t> bytes;
    std::uint64_t behind = 0;    ///< offset of the illegal instruction
    std::uint64_t comeBack = 0;  ///< offset of the return
};

}  // namespace zetl::debugger
