#include "emulator/isa/message.h"

namespace zetl::emulator::isa {

void lowerDc0(MessageLowering& m) {
    constexpr uint32_t kScratch = 1 << 18, kWrite = 1 << 17, kHalfLine = 32;
    const uint32_t descriptor = m.message.descriptor;
    if (!(descriptor & kScratch)) m.refuse("other than scratch blocks");
    const bool write = descriptor & kWrite;
    const uint32_t bytes = kHalfLine << (descriptor >> 12 & 3);
    const uint32_t data = write ? m.data(bytes) : 0, result = write ? 0 : m.result(bytes);
    Step& s = m.emit(m.table.scratchBlock);
    s.size = write, s.value = static_cast<int32_t>(bytes), s.src[0] = (descriptor & 0xfff) * kHalfLine;
    s.src[1] = data, s.dst = result;
}

}  // namespace zetl::emulator::isa
