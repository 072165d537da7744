// Lanes from and to separate places.
#include <algorithm>

#include "emulator/translate/assembler/avx2_assembler.h"
#include "emulator/translate/assembler/instruction_table.h"
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
constexpr Scattered kScattered[] = {
    {Inst::kIdVpgatherdd, 4, 4, false}, {Inst::kIdVpgatherdq, 4, 8, false}, {Inst::kIdVpgatherqd, 8, 4, false},
    {Inst::kIdVpgatherqq, 8, 8, false}, {Inst::kIdVpscatterdd, 4, 4, true}, {Inst::kIdVpscatterdq, 4, 8, true},
    {Inst::kIdVpscatterqd, 8, 4, true}, {Inst::kIdVpscatterqq, 8, 8, true},
};
constexpr InstructionTable kScatteredTable(kScattered);

}  // namespace

bool Avx2Assembler::scattered(const Wide& i) {
    const Scattered* const what = kScatteredTable.find(i.id);
    if (what == nullptr || i.mask == 0) return false;
    return what->write ? scatter(i, what->indexBytes, what->laneBytes) : gather(i, what->indexBytes, what->laneBytes);
}

namespace {

/// The register of indices in an address.
Vec indexOf(const Mem& place) { return Vec(asmjit::BaseReg(place.indexReg()).as<Vec>()); }

}  // namespace

/// Some lanes at a time: as many as indices and data fill 32 bytes of the wider one. The last lanes first: what the
/// first ones overwrite may be the indices.
bool Avx2Assembler::gather(const Wide& i, std::uint32_t indexBytes, std::uint32_t laneBytes) {
    const Mem& from = i.operand[1].as<Mem>();
    const Vec index = indexOf(from);
    const bool quarters = indexBytes > laneBytes;  // of data
    const std::uint32_t size = bytesOf(i.operand[0]);
    const auto some = [&](const Vec& value, const Vec& mask, std::uint32_t first) {
        const std::uint32_t lanes = value.size() / laneBytes;
        Operand places = part(index, first * indexBytes, std::max(lanes * indexBytes, 16u), kB);
        if (places.isMem()) {
            const Vec at = sized(kB.id(), std::max(lanes * indexBytes, 16u));
            put(Inst::kIdVmovdqu, at, places);
            places = at;
        }
        Mem place = from;
        place.setIndex(sized(places.id(), std::max(lanes * indexBytes, 16u)), from.shift());
        place.setSize(laneBytes);
        put(i.id, value, place, mask);
    };
    for (std::uint32_t h = (size + 31) / 32; h-- > 0;) {
        release();
        const std::uint32_t bytes = std::min(size, 32u);
        const Vec on = signsOf(i.mask, h, laneBytes, bytes);
        const Operand old = half(i.operand[0], h);
        const Vec value = fresh(bytes);
        // Nothing of it is kept then, but the gather would wait for it.
        isAll(i.mask) ? put(Inst::kIdVpxor, value, value, value) : put(Inst::kIdVmovdqu, value, old);
        const std::uint32_t first = h * 32 / laneBytes;
        if (quarters && bytes == 32) {
            const std::uint32_t behind = first + 16 / laneBytes;
            put(Inst::kIdVextracti128, kA.xmm(), value, asmjit::Imm(1));
            put(Inst::kIdVextracti128, kC.xmm(), on, asmjit::Imm(1));
            some(kA.xmm(), kC.xmm(), behind);
            put(Inst::kIdVmovdqa, kC.xmm(), Xmm(on.id()));
            some(Xmm(value.id()), kC.xmm(), first);
            put(Inst::kIdVinserti128, value, value, kA.xmm(), asmjit::Imm(1));
        } else {
            put(Inst::kIdVmovdqa, sized(kC.id(), bytes), on);
            some(value, sized(kC.id(), bytes), first);
        }
        become(i.operand[0], h, value);
    }
    return true;
}

namespace {

// For a scatter's function, beside the base in rdx: bits of lanes, indices, data.
constexpr std::int32_t kBits = kArguments;
constexpr std::int32_t kIndices = kSpare;
constexpr std::int32_t kData = kSpare + kSlotBytes;

}  // namespace

/// A function does it, which all of its kind share: kernels that scatter often would not stay in the host's caches.
bool Avx2Assembler::scatter(const Wide& i, std::uint32_t indexBytes, std::uint32_t laneBytes) {
    Mem to = i.operand[0].as<Mem>();
    const std::uint32_t lanes = 64 / std::max(indexBytes, laneBytes);
    const bool all = isAll(i.mask) && state_.masks[i.mask].bits >= lanes;
    const auto give = [&](const Operand& vector, std::int32_t place, std::uint32_t bytes) {
        for (std::uint32_t h = 0; h * 32 < bytes; ++h) {
            const Vec value = loaded(vector, h);
            put(Inst::kIdVmovdqu, frame(place + 32 * static_cast<std::int32_t>(h), 32), Ymm(value.id()));
        }
    };
    give(indexOf(to), kIndices, lanes * indexBytes);
    give(i.operand[1], kData, lanes * laneBytes);
    if (!all) {
        storeMask(i.mask);
        put(Inst::kIdVmovd, kA.xmm(), maskPlace(i.mask, 4));
        put(Inst::kIdVmovd, frame(kBits, 4), kA.xmm());
    }
    const std::uint32_t shift = to.shift();
    to.resetIndex();
    to.setSize(8);
    put(Inst::kIdMov, frame(kGeneral, 8), rdx);
    put(Inst::kIdLea, rdx, to);
    auto& function = scatterers_[{indexBytes, shift, laneBytes, all}];
    if (!function.isValid()) function = newLabel();
    scattersAt_ = pushed_;
    put(Inst::kIdCall, function);
    return true;
}

/// Lane by lane, in their order. Lanes that are off go to the frame instead, since the host could not predict which
/// ones are on. The flags are lost; no code keeps them across a message.
void Avx2Assembler::emitScatterers() {
    constexpr std::size_t kKept = 5;
    const std::array<Gp, kKept> kept = {rdx, rax, rcx, r8, r9};  // the first is kept already
    const auto keptAt = [&](std::size_t n) { return frame(kGeneral + 8 * static_cast<std::int32_t>(n), 8); };
    for (const auto& [form, label] : scatterers_) {
        const auto& [indexBytes, shift, laneBytes, all] = form;
        Assembler::bind(label);
        pushed_ = scattersAt_ + 8;  // the way back
        for (std::size_t n = 1; n < kept.size(); ++n) put(Inst::kIdMov, keptAt(n), kept[n]);
        if (!all) {
            put(Inst::kIdMov, r8d, frame(kBits, 4));
            put(Inst::kIdLea, r9, frame(kSpare + 2 * kSlotBytes, 8));
            put(Inst::kIdSub, r9, rdx);
        }
        for (std::uint32_t n = 0; n < 64 / std::max(indexBytes, laneBytes); ++n) {
            const auto at = [&](std::int32_t first, std::uint32_t bytes) {
                return frame(first + static_cast<std::int32_t>(n * bytes), bytes);
            };
            put(indexBytes == 8 ? Inst::kIdMov : Inst::kIdMovsxd, rax, at(kIndices, indexBytes));
            if (shift != 0) put(Inst::kIdShl, rax, asmjit::Imm(shift));
            if (!all) {
                put(Inst::kIdShr, r8d, asmjit::Imm(1));
                put(Inst::kIdCmovnc, rax, r9);
            }
            const Gp value = laneBytes == 8 ? Gp(rcx) : Gp(ecx);
            put(Inst::kIdMov, value, at(kData, laneBytes));
            put(Inst::kIdMov, ptr(rdx, rax, 0, 0, laneBytes), value);
        }
        for (std::size_t n = 0; n < kept.size(); ++n) put(Inst::kIdMov, kept[n], keptAt(n));
        put(Inst::kIdRet);
    }
    pushed_ = 0;
}

}  // namespace zetl::emulator::translate
