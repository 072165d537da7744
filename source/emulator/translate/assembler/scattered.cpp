// Lanes from and to places of their own.
#include <algorithm>

#include "emulator/translate/assembler/avx2_assembler.h"
#include "emulator/translate/assembler/layout.h"

namespace zetl::emulator::translate {

using namespace asmjit::x86;
using namespace avx2;

namespace {

struct Scattered {
    asmjit::InstId id;
    std::uint8_t indexBytes;
    std::uint8_t laneBytes;
    bool write;
};
constexpr Scattered kAll[] = {
    {Inst::kIdVpgatherdd, 4, 4, false}, {Inst::kIdVpgatherdq, 4, 8, false}, {Inst::kIdVpgatherqd, 8, 4, false},
    {Inst::kIdVpgatherqq, 8, 8, false}, {Inst::kIdVpscatterdd, 4, 4, true}, {Inst::kIdVpscatterdq, 4, 8, true},
    {Inst::kIdVpscatterqd, 8, 4, true}, {Inst::kIdVpscatterqq, 8, 8, true},
};

}  // namespace

bool Avx2Assembler::scattered(const Wide& i) {
    const auto* const what = std::ranges::find(kAll, i.id, &Scattered::id);
    if (what == std::end(kAll) || i.mask == 0) return false;
    return what->write ? scatter(i, what->indexBytes, what->laneBytes) : gather(i, what->indexBytes, what->laneBytes);
}

namespace {

/// The register of indices in an address.
Vec indexOf(const Mem& place) { return Vec(asmjit::BaseReg(place.indexReg()).as<Vec>()); }

}  // namespace

/// Some lanes at a time: as many as indices and data fill 32 bytes of the wider one.
bool Avx2Assembler::gather(const Wide& i, std::uint32_t indexBytes, std::uint32_t laneBytes) {
    const Mem& from = i.operand[1].as<Mem>();
    const Vec index = indexOf(from);
    const std::uint32_t lanes = i.operand[0].as<Vec>().size() / laneBytes;
    const std::uint32_t atOnce = std::min(lanes, 32 / std::max(indexBytes, laneBytes));
    const std::uint32_t dataBytes = std::max(atOnce * laneBytes, 16u);
    // The last lanes first: what the first ones overwrite may be the indices.
    for (std::uint32_t first = lanes; first != 0;) {
        first -= atOnce;
        const Operand to = part(i.operand[0], first * laneBytes, atOnce * laneBytes, kA);
        const Vec value = sized(kA.id(), dataBytes);
        const Vec mask = sized(kC.id(), dataBytes);
        // Bits of lanes within half a register of data: by halves of 32 bytes, and their upper 16 moved down.
        const std::uint32_t half32 = first * laneBytes / 32;
        const bool upper = first * laneBytes % 32 != 0;
        spreadMask(i.mask, half32, laneBytes, upper ? Vec(kC) : mask);
        if (upper) put(Inst::kIdVextracti128, kC.xmm(), kC, asmjit::Imm(1));
        Operand places = part(index, first * indexBytes, atOnce * indexBytes, kB);
        if (atOnce * indexBytes == 32 && !places.isMem()) places = half(index, first * indexBytes / 32);
        if (atOnce * laneBytes == 32 && !to.isMem())
            put(Inst::kIdVmovdqu, value, half(i.operand[0], half32));
        else if (to.isMem() || to.id() != value.id())
            put(Inst::kIdVmovdqu, value, to);
        const Vec at = loaded(places, sized(kB.id(), std::max(atOnce * indexBytes, 16u)));
        Mem place = from;
        place.setIndex(sized(at.id(), std::max(atOnce * indexBytes, 16u)), from.shift());
        place.setSize(laneBytes);
        put(i.id, value, place, mask);
        // Back to where it was.
        if (!inRegister(i.operand[0])) {
            put(Inst::kIdVmovdqu, to, value);
        } else if (atOnce * laneBytes == 32) {
            put(Inst::kIdVmovdqu, half(i.operand[0], half32), value);
        } else {
            const Operand whole = Ymm(i.operand[0].id() + 8 * half32);
            if (lanes * laneBytes == 16)
                put(Inst::kIdVmovdqu, Xmm(whole.id()), value);
            else
                put(Inst::kIdVinserti128, whole, whole, kA.xmm(), asmjit::Imm(upper ? 1 : 0));
        }
    }
    return true;
}

/// Where a vector lies in memory: in the frame anyway, or from now on.
Mem Avx2Assembler::inMemory(const Operand& vector, std::int32_t spare) {
    if (!inRegister(vector)) return frame(kSlots + static_cast<std::int32_t>(vector.id()) * kSlotBytes, 8);
    const std::uint32_t halves = bytesOf(vector) > 32 ? 2 : 1;
    for (std::uint32_t h = 0; h < halves; ++h) {
        const Operand value = half(vector, h);
        put(Inst::kIdVmovdqu, frame(spare + 32 * static_cast<std::int32_t>(h), bytesOf(value)), value);
    }
    return frame(spare, 8);
}

/// Lane after lane, in their order. The flags are lost, which nobody keeps across a message.
bool Avx2Assembler::scatter(const Wide& i, std::uint32_t indexBytes, std::uint32_t laneBytes) {
    Mem to = i.operand[0].as<Mem>();
    if (to.shift() != 0) return false;
    const Mem index = inMemory(indexOf(to), kSpare);
    const Mem data = inMemory(i.operand[1], kSpare + kSlotBytes);
    const std::uint32_t lanes = 64 / std::max(indexBytes, laneBytes);
    const auto lane = [](Mem place, std::uint32_t number, std::uint32_t bytes) {
        place.addOffset(number * bytes);
        place.setSize(bytes);
        return place;
    };
    constexpr std::int32_t kKept = 3;
    const std::array<Gp, kKept> kept = {rax, rcx, rdx};
    const auto keptAt = [&](std::size_t n) { return frame(kGeneral + 8 * static_cast<std::int32_t>(n), 8); };
    for (std::size_t n = 0; n < kept.size(); ++n) put(Inst::kIdMov, keptAt(n), kept[n]);
    to.resetIndex();
    to.setSize(8);
    put(Inst::kIdLea, rdx, to);
    for (std::uint32_t n = 0; n < lanes; ++n) {
        const asmjit::Label off = newLabel();
        Mem bits = maskPlace(i.mask, 1);
        bits.addOffset(n / 8);
        put(Inst::kIdTest, bits, asmjit::Imm(1 << n % 8));
        put(Inst::kIdJz, off);
        put(indexBytes == 8 ? Inst::kIdMov : Inst::kIdMovsxd, rax, lane(index, n, indexBytes));
        const Gp value = laneBytes == 8 ? Gp(rcx) : Gp(ecx);
        put(Inst::kIdMov, value, lane(data, n, laneBytes));
        put(Inst::kIdMov, ptr(rdx, rax, 0, 0, laneBytes), value);
        bind(off);
    }
    for (std::size_t n = 0; n < kept.size(); ++n) put(Inst::kIdMov, kept[n], keptAt(n));
    return true;
}

}  // namespace zetl::emulator::translate
