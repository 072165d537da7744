#include <bit>

#include "emulator/isa/lower/message.h"
#include "isa/xe/legacy_message.h"
#include "isa/xe/lsc_descriptor.h"

namespace zetl::emulator::isa {
namespace {

void lowerScratch(MessageLowering& m, const ScratchBlock& block) {
    m.emit(ScratchAccess{.write = block.write,
                         .offset = block.offset,
                         .registers = m.registers(block.write, block.bytes),
                         .bytes = block.bytes});
}

/// Offsets in bytes, of all lanes or one, made of those that count units of a power of two.
std::uint32_t byteOffsets(MessageLowering& m, std::uint32_t offsets, std::uint32_t unit, bool allLanes) {
    if (unit == 1) return offsets;
    Step& shift = m.emit({.family = Family::compute,
                          .row = static_cast<std::uint16_t>(Opcode::shl),
                          .lanes = LaneType::u32,
                          .wide = allLanes});
    shift.src[0] = offsets;
    shift.src[1] = m.constant(static_cast<std::uint64_t>(std::countr_zero(unit)), sizeof(std::uint32_t));
    shift.dst = layout::kRaw;
    return layout::kRaw;
}

void lowerLocalDwords(MessageLowering& m, const LocalDwords& dwords) {
    if (!dwords.write && !m.hasResult()) return;
    const std::uint32_t bytes = m.componentBytes(LocalDwords::kBytes);
    const std::uint32_t addresses = m.address(m.in.width * LocalDwords::kBytes);
    m.emit(LaneAccess{.addresses = byteOffsets(m, addresses, LocalDwords::kBytes, true),
                      .registers = m.registers(dwords.write, bytes),
                      .components = 1,
                      .componentBytes = bytes},
           {.space = MemorySpace::local, .write = dwords.write, .data = lsc::kD32, .whole = m.place.allLanesOn});
}

void lowerLocalBlock(MessageLowering& m, const LocalBlock& block) {
    constexpr std::uint32_t kHeaderBytes = 64;
    if (block.bytes == 0) m.refuse("block of this size");
    const std::uint32_t offset =
        byteOffsets(m, m.address(kHeaderBytes) + LocalBlock::kOffsetAt, block.offsetUnit, false);
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
    if (const auto dwords = localDwordsOf(m.message)) return lowerLocalDwords(m, *dwords);
    const auto local = localBlockOf(m.message);
    if (!local) m.refuse("of this type");
    lowerLocalBlock(m, *local);
}

}  // namespace zetl::emulator::isa
