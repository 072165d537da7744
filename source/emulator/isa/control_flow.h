// Which instructions threads do not simply go on behind.
#pragma once

#include "emulator/isa/instruction_set.h"

namespace zetl::emulator::isa {

inline bool isBranch(const Instruction& in) {
    const OpcodeInfo* const info = findOpcode(static_cast<std::uint8_t>(in.opcode));
    return info != nullptr && info->format == Format::branch;
}
inline bool endsThread(const Instruction& in) { return isSend(in.opcode) && in.message.endOfThread; }

}  // namespace zetl::emulator::isa
