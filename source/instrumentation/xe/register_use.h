// What one instruction does to the registers.
#pragma once

#include <vector>

#include "emulator/isa/decode/instruction.h"
#include "instrumentation/xe/register_set.h"

namespace zetl::instrumentation {

/// Which lanes of its destination an instruction is sure to write.
enum class Coverage : std::uint8_t {
    all,      ///< every lane it names, whatever the execution mask
    running,  ///< those that the execution mask leaves on
    some,     ///< those that a predicate chooses as well
};

/// Reads are what it may read, and more where the instruction does not tell (a message whose length is in a register).
/// Writes are what it is sure to write in the lanes that `coverage` names, and less where it does not tell.
struct RegisterUse {
    std::vector<ByteRange> reads;
    std::vector<ByteRange> writes;
    /// All it may write in any lane, more where it does not tell.
    std::vector<ByteRange> touches;
    Coverage coverage = Coverage::all;
};

RegisterUse useOf(const emulator::isa::Instruction& instruction);

}  // namespace zetl::instrumentation
