#include "isa/xe/lsc_descriptor.h"

namespace zetl::isa::xe::lsc {
namespace {

/// Bits [top:bottom] as a signed number.
constexpr std::int32_t signedBits(std::uint32_t word, int top, int bottom) noexcept {
    return static_cast<std::int32_t>(word << (31 - top)) >> (31 - top + bottom);
}

/// Beside a0: [31:19] and [15:12], since the bits between them say which part of a0.
constexpr std::int32_t besideRegister(std::uint32_t extended) noexcept {
    return signedBits(extended, 31, 19) * 16 + static_cast<std::int32_t>(extended >> 12 & 15);
}

}  // namespace

std::int32_t addressOffset(const Message& m) noexcept {
    const Descriptor d(m);
    if (!m.hasOffset || d.block2d() || d.op == kFence) return 0;
    if (m.extendedInRegister) return besideRegister(m.extended);
    if (d.local || d.surface == kFlat) return signedBits(m.extended, 31, 12);
    return d.surface == kBindingTable ? signedBits(m.extended, 23, 12) : 0;
}

BlockOffset blockOffset(const Message& m) noexcept {
    if (!m.hasOffset || !Descriptor(m).block2d() || m.extendedInRegister) return {};
    return {.x = signedBits(m.extended, 21, 12), .y = signedBits(m.extended, 31, 22)};
}

}  // namespace zetl::isa::xe::lsc
