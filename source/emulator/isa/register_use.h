// What an instruction does to registers beside its operands, and how many a message may move.
#pragma once

#include "emulator/isa/decode/instruction.h"
#include "emulator/isa/state_layout.h"

namespace zetl::emulator::isa {

/// The most that a message answers or sends, or a systolic product fills or reads.
inline constexpr std::uint32_t kManyRegisterBytes = 32 * layout::kRegisterBytes;

/// Instructions that compute one lane after the other, each from elements of regions.
bool computesByLanes(const Instruction& in);

/// Where a direct operand of general registers begins, and which of its elements a lane has.
inline std::uint32_t placeOf(const Operand& o) { return o.number * layout::kRegisterBytes + o.subByte; }
inline std::uint32_t elementOf(const Operand& source, std::uint32_t lane) {
    const std::uint32_t width = source.width == 0 ? 1 : source.width;
    return lane / width * source.vertical + lane % width * source.horizontal;
}

/// Instructions that write to registers only what their destination names.
bool writesDestinationOnly(const Instruction& in);

/// The most registers that the lanes' data of a message takes, in bytes.
std::uint32_t messageDataBytes(const Instruction& in);

}  // namespace zetl::emulator::isa
