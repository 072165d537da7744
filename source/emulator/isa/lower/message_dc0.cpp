#include <bit>

#include "emulator/isa/decode/legacy_message.h"
#include "emulator/isa/lower/message.h"

namespace zetl::emulator::isa {
namespace {

void lowerScratch(MessageLowering& m, const ScratchBlock& block) {
    m.emit(ScratchAccess{.write = block.write,
                         .offset = block.offset,
                         .registers = m.registers(block.write, block.bytes),
                         .bytes = block.bytes});
}

void lowerLocalBlock(MessageLowering& m, const LocalBlock& block) {
    constexpr std::uint32_t kHeaderBytes = 64;
    if (block.bytes == 0) m.refuse("block of this size");
    std::uint32_t offset = m.address(kHeaderBytes) + LocalBlock::kOffsetAt;
    if (block.offsetUnit != 1) {
        Step& shift = m.emit(m.table.compute[static_cast<int>(Opcode::shl)][static_cast<int>(LaneType::u32)][0][0]);
        shift.src[0] = offset;
        shift.src[1] =
            m.constant(static_cast<std::uint64_t>(std::countr_zero(block.offsetUnit)), sizeof(std::uint32_t));
        shift.dst = layout::kRaw;
        offset = layout::kRaw;
    }
    m.emit(BlockAccess{.space = MemorySpace::local,
                       .write = block.write,
                       .wideAddress = false,
                       .address = offset,
                       .registers = m.registers(block.write, block.bytes),
                       .bytes = block.bytes});
}

}  // namespace

void lowerDc0(MessageLowering& m) {
    if (const auto scratch = scratchBlockOf(m.message)) return lowerScratch(m, *scratch);
    const auto local = localBlockOf(m.message);
    if (!local) m.refuse("of this type");
    lowerLocalBlock(m, *local);
}

}  // namespace zetl::emulator::isa
