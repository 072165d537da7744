#include <bit>

#include "emulator/isa/lower/message.h"

namespace zetl::emulator::isa {
namespace {

constexpr uint32_t kScratch = 1 << 18, kHalfLine = 32;
constexpr uint32_t kBlockRead = 0, kBlockReadBytes = 1, kBlockWrite = 8;
constexpr uint32_t kLocalSurface = 0xfe, kOctetOfWords = 16;

void lowerScratch(MessageLowering& m) {
    constexpr uint32_t kWrite = 1 << 17;
    const uint32_t descriptor = m.message.descriptor;
    const bool write = descriptor & kWrite;
    const uint32_t bytes = kHalfLine << (descriptor >> 12 & 3);
    const uint32_t data = write ? m.data(bytes) : 0, result = write ? 0 : m.result(bytes);
    Step& s = m.emit(m.table.scratchBlock);
    s.size = write, s.value = static_cast<int32_t>(bytes), s.src[0] = (descriptor & 0xfff) * kHalfLine;
    s.src[1] = data, s.dst = result;
}

/// Blocks of local memory: the header's third dword is the offset, in bytes or in units of 16 of them.
void lowerLocalBlock(MessageLowering& m, uint32_t type) {
    constexpr uint8_t sizes[] = {1, 0, 2, 4, 8, 16, 0, 0};
    constexpr uint32_t kHeaderBytes = 64, kOffsetByte = 8;
    const uint32_t bytes = sizes[m.message.descriptor >> 8 & 7] * kOctetOfWords;
    if (bytes == 0) m.refuse("block of this size");
    const bool write = type == kBlockWrite;
    uint32_t offset = m.address(kHeaderBytes) + kOffsetByte;
    if (type != kBlockReadBytes) {
        Step& shift = m.emit(m.table.compute[static_cast<int>(Opcode::shl)][static_cast<int>(LaneType::u32)][0][0]);
        shift.src[0] = offset, shift.src[1] = m.constant(std::countr_zero(kOctetOfWords), 4), shift.dst = layout::kRaw;
        offset = layout::kRaw;
    }
    const uint32_t data = write ? m.data(bytes) : 0, result = write ? 0 : m.result(bytes);
    Step& s = m.emit(m.table.block);
    s.src[0] = offset, s.src[1] = data, s.dst = result, s.value = static_cast<int32_t>(bytes);
    s.chunks = 1, s.size = write, s.kind = static_cast<uint8_t>(MemorySpace::local), s.mask.lanes = 1;
}

}  // namespace

void lowerDc0(MessageLowering& m) {
    const uint32_t descriptor = m.message.descriptor, type = descriptor >> 14 & 15;
    if (descriptor & kScratch) return lowerScratch(m);
    const bool block = type == kBlockRead || type == kBlockReadBytes || type == kBlockWrite;
    if (!block || (descriptor & 0xff) != kLocalSurface) m.refuse("of this type");
    lowerLocalBlock(m, type);
}

}  // namespace zetl::emulator::isa
