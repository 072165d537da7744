#include "isa/xe/access_shape.h"

#include <bit>

#include "isa/xe/legacy_message.h"
#include "isa/xe/lsc_descriptor.h"

namespace zetl::isa::xe {
namespace {

std::optional<AccessShape> lscShape(const Instruction& in) {
    const lsc::Descriptor d(in.message);
    if (!d.loads() && !d.stores() && !d.atomic()) return {};
    if (d.loads() && !in.destination.isGrf()) return {};
    const bool hasForm = d.block2d() ? d.block2dProblem() == nullptr : d.memoryBytes() != 0;
    if (!hasForm || (d.quad() && d.components == 0) || d.scale == 0 || d.surfaceIndex != 0) return {};
    AccessShape s;
    s.space = d.local                      ? MemorySpace::local
              : d.surface == lsc::kFlat    ? MemorySpace::global
              : d.surface == lsc::kScratch ? MemorySpace::scratch
                                           : MemorySpace::payload;
    s.atomic = d.atomic();
    s.write = d.stores() || s.atomic;
    s.strided = d.strided();
    s.block2d = d.block2d();
    s.block = d.transposed && !d.quad() && !s.strided && !s.block2d;
    if (s.block2d) {
        const lsc::BlockOffset moved = lsc::blockOffset(in.message);
        s.bytes = d.memoryBytes();
        s.blockX = moved.x;
        s.blockY = moved.y;
        return s;
    }
    const std::uint32_t components = d.quad()   ? static_cast<std::uint32_t>(std::popcount(d.components))
                                     : s.atomic ? 1
                                                : d.vectorLength();
    s.bytes = components * d.memoryBytes();
    s.addressBytes = d.addressBytes();
    s.offset = in.message.addressOffset;
    if (in.message.general) {
        s.addressUnit = d.scale;
        s.wide = d.narrowOffsets;
        s.signedOffsets = d.signedOffsets;
        s.base = d.surface == lsc::kScratch ? std::int8_t{-1} : in.message.scalars[0];
    }
    return s;
}
std::optional<AccessShape> port0Shape(const Message& m) {
    AccessShape s;
    s.block = true;
    if (const auto scratch = scratchBlockOf(m)) {
        s.space = MemorySpace::scratch;
        s.write = scratch->write;
        s.bytes = scratch->bytes;
        s.offset = scratch->offset;
        return s;
    }
    s.space = MemorySpace::local;
    s.addressBytes = sizeof(std::uint32_t);
    if (const auto dwords = localDwordsOf(m)) {
        s.block = false;
        s.write = dwords->write;
        s.bytes = LocalDwords::kBytes;
        s.addressUnit = LocalDwords::kBytes;
        return s;
    }
    const auto local = localBlockOf(m);
    if (!local || local->bytes == 0) return {};
    s.write = local->write;
    s.bytes = local->bytes;
    s.addressAt = LocalBlock::kOffsetAt;
    s.addressUnit = local->offsetUnit;
    return s;
}
std::optional<AccessShape> port1Shape(const Message& m) {
    const auto atomic = untypedAtomicOf(m);
    if (!atomic || !atomic->space) return {};
    AccessShape s;
    s.space = *atomic->space;
    s.write = s.atomic = true;
    s.bytes = atomic->elementBytes;
    s.addressBytes = atomic->addressBytes;
    return s;
}

}  // namespace

std::optional<AccessShape> accessShapeOf(const Instruction& given) noexcept {
    const Instruction in = modernForm(given);
    switch (in.message.function) {
        case SharedFunction::ugm:
        case SharedFunction::slm:
            return lscShape(in);
        case SharedFunction::dc0:
            return port0Shape(in.message);
        case SharedFunction::dc1:
            return port1Shape(in.message);
        default:
            return {};
    }
}

GeneralBarrier generalBarrierOf(const Message& m) noexcept {
    constexpr std::uint64_t kOperationMask = 63;
    constexpr std::uint64_t kGroup = 4;
    constexpr std::uint64_t kNamed = 5;
    if (!m.general || m.function != SharedFunction::gateway) return GeneralBarrier::none;
    const std::uint64_t operation = m.descriptor & kOperationMask;
    return operation == kGroup   ? GeneralBarrier::group
           : operation == kNamed ? GeneralBarrier::named
                                 : GeneralBarrier::none;
}

Synchronization synchronizationOf(const Instruction& given) noexcept {
    const Message m = modernForm(given).message;
    switch (m.function) {
        case SharedFunction::ugm:
        case SharedFunction::slm:
        case SharedFunction::tgm:
            return lsc::Descriptor(m).op == lsc::kFence ? Synchronization::fence : Synchronization::none;
        case SharedFunction::gateway: {
            constexpr std::uint32_t kFunctionMask = 7;
            constexpr std::uint32_t kBarrier = 4;
            const bool general = generalBarrierOf(m) != GeneralBarrier::none;
            const bool signals = !m.endOfThread && (m.general ? general : (m.descriptor & kFunctionMask) == kBarrier);
            return signals ? Synchronization::barrier : Synchronization::none;
        }
        default:
            return Synchronization::none;
    }
}

}  // namespace zetl::isa::xe
