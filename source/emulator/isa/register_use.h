// An instruction's use of registers beside its operands, and how many registers a message may move.
#pragma once

#include "emulator/isa/instruction_set.h"
#include "emulator/isa/state_layout.h"
#include "isa/xe/instruction.h"

namespace zetl::emulator::isa {

/// The largest amount that a message returns or sends, or that a systolic product writes or reads.
inline constexpr std::uint32_t kManyRegisterBytes = 32 * layout::kRegisterBytes;

/// Instructions that compute one lane after the other, each from elements of regions.
bool computesByLanes(const Instruction& in);

/// Where a direct operand of general registers begins, and which of its elements belongs to a lane.
inline std::uint32_t placeOf(const Operand& o) { return o.number * layout::kRegisterBytes + o.subByte; }
inline std::uint32_t elementOf(const Operand& source, std::uint32_t lane) {
    const std::uint32_t width = source.width == 0 ? 1 : source.width;
    return lane / width * source.vertical + lane % width * source.horizontal;
}

/// Instructions that write no registers other than their destination.
bool writesDestinationOnly(const Instruction& in);

/// The largest size, in bytes, of the registers with a message's lane data.
std::uint32_t messageDataBytes(const Instruction& in);

}  // namespace zetl::emulator::isa
