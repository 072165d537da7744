#include <bit>

#include "emulator/isa/decode/legacy_message.h"
#include "emulator/isa/lower/message.h"

namespace zetl::emulator::isa {
namespace {

void lowerScratch(MessageLowering& m, const ScratchBlock& block) {
    const uint32_t data = block.write ? m.data(block.bytes) : 0, result = block.write ? 0 : m.result(block.bytes);
    Step& s = m.emit(m.table.scratchBlock);
    s.size = block.write, s.value = static_cast<int32_t>(block.bytes), s.src[0] = block.offset;
    s.src[1] = data, s.dst = result;
}

void lowerLocalBlock(MessageLowering& m, const LocalBlock& block) {
    constexpr uint32_t kHeaderBytes = 64;
    if (block.bytes == 0) m.refuse("block of this size");
    uint32_t offset = m.address(kHeaderBytes) + LocalBlock::kOffsetAt;
    if (block.offsetUnit != 1) {
        Step& shift = m.emit(m.table.compute[static_cast<int>(Opcode::shl)][static_cast<int>(LaneType::u32)][0][0]);
        shift.src[0] = offset, shift.src[1] = m.constant(std::countr_zero(block.offsetUnit), 4),
        shift.dst = layout::kRaw;
        offset = layout::kRaw;
    }
    const uint32_t data = block.write ? m.data(block.bytes) : 0, result = block.write ? 0 : m.result(block.bytes);
    Step& s = m.emit(m.table.block);
    s.src[0] = offset, s.src[1] = data, s.dst = result, s.value = static_cast<int32_t>(block.bytes);
    s.chunks = 1, s.size = block.write, s.kind = static_cast<uint8_t>(MemorySpace::local), s.mask.lanes = 1;
}

}  // namespace

void lowerDc0(MessageLowering& m) {
    if (const auto scratch = scratchBlockOf(m.message)) return lowerScratch(m, *scratch);
    const auto local = localBlockOf(m.message);
    if (!local) m.refuse("of this type");
    lowerLocalBlock(m, *local);
}

}  // namespace zetl::emulator::isa
