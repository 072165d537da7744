#include "emulator/isa/access_shape.h"

#include <bit>

#include "emulator/isa/decode/legacy_message.h"
#include "emulator/isa/decode/lsc_descriptor.h"

namespace zetl::emulator::isa {
namespace {

std::optional<AccessShape> lscShape(const Instruction& in) {
    const lsc::Descriptor d(in.message);
    if (!d.loads() && !d.stores() && !d.atomic()) return {};
    if (d.loads() && !in.destination.isGrf()) return {};
    AccessShape s;
    s.space = d.local                      ? MemorySpace::local
              : d.surface == lsc::kFlat    ? MemorySpace::global
              : d.surface == lsc::kScratch ? MemorySpace::scratch
                                           : MemorySpace::payload;
    s.atomic = d.atomic(), s.write = d.stores() || s.atomic;
    s.strided = d.strided(), s.block2d = d.block2d();
    s.block = d.transposed && !d.quad() && !s.strided && !s.block2d;
    if (s.block2d) {
        s.bytes = d.memoryBytes();
        return s;
    }
    const uint32_t components = d.quad()   ? static_cast<uint32_t>(std::popcount(d.components))
                                : s.atomic ? 1
                                           : d.vectorLength();
    s.bytes = components * d.memoryBytes(), s.addressBytes = d.addressBytes();
    return s;
}
std::optional<AccessShape> scratchShape(const Message& m) {
    constexpr uint32_t kScratch = 1 << 18;
    if (!(m.descriptor & kScratch)) return {};
    AccessShape s;
    s.space = MemorySpace::scratch, s.block = true, s.write = m.descriptor >> 17 & 1;
    s.bytes = 32u << (m.descriptor >> 12 & 3), s.offset = (m.descriptor & 0xfff) * 32;
    return s;
}
std::optional<AccessShape> legacyAtomicShape(const Message& m) {
    AccessShape s;
    const bool local = (m.descriptor & 0xff) == 0xfe;
    s.space = local ? MemorySpace::local : MemorySpace::global, s.write = s.atomic = true, s.bytes = 4,
    s.addressBytes = local ? 4 : 8;
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
            return scratchShape(in.message);
        case SharedFunction::dc1:
            return legacyAtomicShape(in.message);
        default:
            return {};
    }
}

}  // namespace zetl::emulator::isa
