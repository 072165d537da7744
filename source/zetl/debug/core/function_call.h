// Calls of the program's functions by the debugger: which of them can be called, and what goes into which registers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/call_convention.h"
#include "core/debug_info.h"
#include "core/memory.h"
#include "core/module.h"
#include "core/value.h"

namespace zetl::debugger {

class Architecture;

/// One lane's bytes in a register.
struct PlacedNumber {
    unsigned number = 0;
    std::size_t offset = 0;
    Bytes bytes;
};

/// A call as registers.
struct PreparedCall {
    std::string name;
    std::uint64_t function = 0;
    unsigned lane = 0;
    unsigned width = 0;  ///< lanes of the function's code
    std::vector<PlacedNumber> arguments;
    unsigned results = 0;        ///< registers
    const Type* type = nullptr;  ///< of the result; null: none
};

/// Finds the function and places its arguments, as the thread's frame has them. Throws Failure, which says why, if it
/// cannot be called.
PreparedCall preparedCall(const Module& module, const Memory& memory, const Architecture& architecture,
                          const std::string& name, const std::vector<Value>& arguments, unsigned lane);
/// From the registers that hold it.
Value resultOf(const PreparedCall& call, const Bytes& registers);

/// Throws Failure if code at this address may be before the place where its kernel makes its stack, or the kernel makes
/// none.
void requireStack(const Module& module, const Memory& memory, const Architecture& architecture, std::uint64_t address);

}  // namespace zetl::debugger
