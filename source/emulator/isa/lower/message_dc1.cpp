#include "emulator/isa/lower/message.h"

namespace zetl::emulator::isa {

void lowerDc1(MessageLowering& m) {
    constexpr uint32_t kUntypedAtomic = 0x02, kUntypedAtomicA64 = 0x12, kLocalSurface = 0xfe;
    constexpr uint8_t kNone = 0xff;
    // Legacy operation to the one that LSC numbers; the last two exist only here.
    constexpr uint8_t operations[16] = {kNone, 0x18, 0x19, 0x1a, 0x0b, 0x08, 0x09, 0x0c,
                                        0x0d,  0x40, 0x0f, 0x0e, 0x11, 0x10, 0x12, 0x41};
    const uint32_t descriptor = m.message.descriptor, type = descriptor >> 14 & 31, surface = descriptor & 0xff;
    const uint8_t op = operations[descriptor >> 8 & 15];
    if (type == kUntypedAtomicA64 && op != kNone) return emitAtomic(m, {op, 4, 4, 8, MemorySpace::global});
    if (type != kUntypedAtomic || op == kNone) m.refuse("other than untyped atomics");
    if (surface != kLocalSurface) m.refuse("surface in a binding table");
    emitAtomic(m, {op, 4, 4, 4, MemorySpace::local});
}

}  // namespace zetl::emulator::isa
