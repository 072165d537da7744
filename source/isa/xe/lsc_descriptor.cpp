#include "isa/xe/lsc_descriptor.h"

#include <bit>

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

/// Of general messages, in the field that says how addresses are made.
enum Addressing : std::uint8_t { kUnsignedOffsets, kSignedOffsets, kWideOffsets, kStateful };

/// Operations that general messages do not have, or that nothing here knows, although others have the number.
constexpr bool isReservedGeneral(std::uint8_t op) noexcept {
    return op == kLoadStrided || op == kStoreStrided ||
           (op > kLastAtomic && op != kFence && (op < kFirstBrainAtomic || op > kLastBrainAtomic));
}

/// Offsets count elements, or vectors of two, four or eight of them.
std::uint8_t scaleOf(std::uint32_t field, std::uint32_t vectorBytes) {
    constexpr std::uint32_t kMost = 32;
    if (field == 0) return 1;
    const std::uint32_t scale = vectorBytes << (field - 1);
    return scale <= kMost && (scale & (scale - 1)) == 0 ? static_cast<std::uint8_t>(scale) : std::uint8_t{0};
}

}  // namespace

Descriptor::Descriptor(const Message& m) noexcept : op(m.descriptor & 63), local(m.function == SharedFunction::slm) {
    const std::uint64_t word = m.descriptor;
    if (!m.general) {
        addressSize = word >> 7 & 3;
        data = word >> 9 & 7;
        vector = word >> 12 & 7;
        components = word >> 12 & 15;
        packed = (word >> 7 & 1) != 0;
        transposed = (word >> 15 & 1) != 0;
        surface = word >> 29 & 3;
        return;
    }
    if (isReservedGeneral(op)) op = kReserved;
    const auto addressing = static_cast<Addressing>(word >> 14 & 3);
    data = word >> 11 & 7;
    vector = word >> 7 & 7;
    components = word >> 7 & 15;
    packed = (word >> 9 & 1) != 0;
    transposed = (word >> 10 & 1) != 0 && !quad();
    surface = !local && addressing == kStateful && op != kFence ? kScratch : kFlat;
    narrowOffsets = !local && addressing <= kSignedOffsets;
    signedOffsets = narrowOffsets && addressing == kSignedOffsets;
    addressSize = local || surface == kScratch || narrowOffsets ? kAddress32 : kAddress64;
    surfaceIndex = surface == kScratch ? word >> 22 & 31 : 0;
    const std::uint32_t elements = quad() ? static_cast<std::uint32_t>(std::popcount(components)) : vectorLength();
    scale = scaleOf(word >> 44 & 3, elements * memoryBytes());
}

std::int32_t addressOffset(const Message& m) noexcept {
    const Descriptor d(m);
    if (m.general) {
        if (d.block2d() || d.op == kFence) return 0;
        const auto upper = static_cast<std::uint32_t>(m.descriptor >> 12);
        const int lowest = d.surface == kScratch ? 27 : 22;
        return signedBits(upper, 43 - 12, lowest - 12) * static_cast<std::int32_t>(d.memoryBytes());
    }
    if (!m.hasOffset || d.block2d() || d.op == kFence) return 0;
    if (m.extendedInRegister) return besideRegister(m.extended);
    if (d.local || d.surface == kFlat) return signedBits(m.extended, 31, 12);
    return d.surface == kBindingTable ? signedBits(m.extended, 23, 12) : 0;
}

BlockOffset blockOffset(const Message& m) noexcept {
    if (m.general && Descriptor(m).block2d()) {
        const auto upper = static_cast<std::uint32_t>(m.descriptor >> 22);
        return {.x = signedBits(upper, 11, 0), .y = signedBits(upper, 23, 12)};
    }
    if (!m.hasOffset || !Descriptor(m).block2d() || m.extendedInRegister) return {};
    return {.x = signedBits(m.extended, 21, 12), .y = signedBits(m.extended, 31, 22)};
}

}  // namespace zetl::isa::xe::lsc
