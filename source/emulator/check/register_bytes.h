// Which bytes of the general registers an instruction reads and writes, for checks that follow values through a block.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "emulator/isa/register_use.h"
#include "isa/xe/opcodes.h"

namespace zetl::emulator::check {

inline constexpr std::uint32_t kMostLanes = 32;

/// Of an instruction that computes.
inline std::uint32_t lanesOf(const isa::Instruction& in) noexcept {
    return std::min<std::uint32_t>(in.width, kMostLanes);
}

/// [begin, end).
struct RegisterBytes {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    bool meets(const RegisterBytes& other) const noexcept { return begin < other.end && other.begin < end; }
};

inline bool isOfRegisters(const isa::Operand& operand) noexcept { return operand.isGrf() && !operand.isIndirect(); }

inline bool isMessage(const isa::Instruction& in) noexcept {
    return in.opcode == isa::Opcode::send || in.opcode == isa::Opcode::sendc;
}

/// Everything behind may be reached another way, or not at all.
inline bool leavesTheBlock(const isa::Instruction& in) noexcept {
    const auto* const known = zetl::isa::xe::findOpcode(static_cast<std::uint8_t>(in.opcode));
    return known == nullptr || known->format == zetl::isa::xe::Format::branch;
}

/// At most these; all if the destination is indirect.
inline RegisterBytes bytesWrittenBy(const isa::Instruction& in) noexcept {
    const isa::Operand& to = in.destination;
    if (!to.isGrf()) return {};
    if (to.isIndirect()) return {0, std::numeric_limits<std::uint32_t>::max()};
    const std::uint32_t begin = isa::placeOf(to);
    if (isMessage(in)) return {begin, begin + isa::messageDataBytes(in)};
    const std::uint32_t step = std::max<std::uint32_t>(to.horizontal, 1) * byteSize(to.type);
    return {begin, begin + step * in.width};
}

/// From the element of the first lane to that of the last, of a direct operand.
inline RegisterBytes bytesReadBy(const isa::Instruction& in, const isa::Operand& operand) noexcept {
    const std::uint32_t begin = isa::placeOf(operand);
    return {begin, begin + (isa::elementOf(operand, in.width - 1u) + 1) * byteSize(operand.type)};
}

}  // namespace zetl::emulator::check
