// The registers that one instruction reads and writes.
#pragma once

#include <vector>

#include "instrumentation/xe/register_set.h"
#include "isa/xe/instruction.h"

namespace zetl::instrumentation {

/// The lanes of its destination that an instruction is sure to write.
enum class Coverage : std::uint8_t {
    all,      ///< every lane that it names, whatever the execution mask is
    running,  ///< those that the execution mask leaves on
    some,     ///< those that a predicate also selects
};

/// Reads are the bytes that it may read: more than it does if the instruction does not show that (a message whose
/// length is in a register). Writes are the bytes that it is sure to write in the lanes of `coverage`: fewer in such
/// cases.
struct RegisterUse {
    std::vector<ByteRange> reads;
    std::vector<ByteRange> writes;
    /// All bytes that it may write in any lane: more than it does if the instruction does not show that.
    std::vector<ByteRange> touches;
    Coverage coverage = Coverage::all;
};

RegisterUse useOf(const isa::xe::Instruction& instruction);

}  // namespace zetl::instrumentation
