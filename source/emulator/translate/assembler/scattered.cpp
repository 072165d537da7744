// tidy: without the analyzer, which follows asmjit into shifts that its callers exclude
// Lanes from and to separate places.
#include <algorithm>

#include "emulator/translate/assembler/avx2_assembler.h"
#include "emulator/translate/assembler/instruction_table.h"
#include "emulator/translate/assembler/layout.h"

namespace zetl::emulator::translate {

using namespace asmjit::x86;
using asmjit::Imm;
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

constexpr std::array<Gp, 4> kScatterUses = {rax, rcx, r8, r9};  // beside the base in rdx; the last two for lanes off

}  // namespace

/// A function does half of the lanes, which all of its kind share: kernels that scatter often would not stay in the
/// host's caches. Indices, data and signs of lanes that are on are in the three registers for temporary values: stores
/// to the frame would wait behind lanes whose memory is not in the cache.
bool Avx2Assembler::scatter(const Wide& i, std::uint32_t indexBytes, std::uint32_t laneBytes) {
    Mem to = i.operand[0].as<Mem>();
    const Vec index = indexOf(to);
    const std::uint32_t lanes = 32 / std::max(indexBytes, laneBytes);  // at a time
    const bool all = isAll(i.mask) && state_.masks[i.mask].bits >= 2 * lanes;
    const std::uint32_t shift = to.shift();
    Label& function = scatterers_[{indexBytes, shift, laneBytes, all}];
    if (!function.isValid()) function = newLabel();
    scattersAt_ = pushed_;
    to.resetIndex();
    to.setSize(8);
    const auto kept = [&](std::size_t n) { return frame(kGeneral + 8 * static_cast<std::int32_t>(n), 8); };
    const std::size_t used = all ? 2 : kScatterUses.size();
    put(Inst::kIdMov, kept(used), rdx);
    for (std::size_t n = 0; n < used; ++n) put(Inst::kIdMov, kept(n), kScatterUses[n]);
    put(Inst::kIdLea, rdx, to);
    const auto give = [&](const Operand& vector, std::uint32_t at, std::uint32_t bytes, const Ymm& in) {
        const Vec into = sized(in.id(), bytes);
        const Operand some = part(vector, at, bytes, into);
        if (some.isMem() || some.id() != in.id()) put(Inst::kIdVmovdqu, into, some);
    };
    for (std::uint32_t h = 0; h < 2; ++h) {
        release();
        if (!all) put(Inst::kIdVmovdqa, kC, signsOf(i.mask, h, 32 / lanes, 32));
        give(index, h * lanes * indexBytes, lanes * indexBytes, kA);
        give(i.operand[1], h * lanes * laneBytes, lanes * laneBytes, kB);
        put(Inst::kIdCall, function);
    }
    for (std::size_t n = 0; n < used; ++n) put(Inst::kIdMov, kScatterUses[n], kept(n));
    put(Inst::kIdMov, rdx, kept(used));
    return true;
}

/// Lane by lane, in their order. Lanes that are off go to the frame instead, since the host could not predict which
/// ones are on. The flags are lost; no code keeps them across a message.
void Avx2Assembler::emitScatterers() {
    for (const auto& [form, label] : scatterers_) {
        const auto& [indexBytes, shift, laneBytes, all] = form;
        Assembler::bind(label);
        pushed_ = scattersAt_ + 8;  // the way back
        const std::uint32_t lanes = 32 / std::max(indexBytes, laneBytes);
        if (!all) {
            put(lanes == 8 ? Inst::kIdVmovmskps : Inst::kIdVmovmskpd, r8d, kC);
            put(Inst::kIdLea, r9, frame(kSpare, 8));
            put(Inst::kIdSub, r9, rdx);
        }
        for (std::uint32_t n = 0; n < lanes; ++n) {
            takeIndex(n, indexBytes);
            const Gp index = indexBytes == 4 && n % 2 != 0 ? rcx : rax;
            if (!all) {
                if (shift != 0) put(Inst::kIdShl, index, Imm(shift));
                put(Inst::kIdShr, r8d, Imm(1));
                put(Inst::kIdCmovnc, index, r9);
            }
            storeLane(n, laneBytes, ptr(rdx, index, all ? shift : 0, 0, laneBytes));
        }
        put(Inst::kIdRet);
    }
    pushed_ = 0;
}

/// The index of a lane, as lanes follow each other: of qwords in rax, of dwords two at a time in rax and rcx.
void Avx2Assembler::takeIndex(std::uint32_t lane, std::uint32_t indexBytes) {
    const std::uint32_t at = lane * indexBytes;
    if (at % 8 != 0) return;  // with the one before
    const Gp qword = indexBytes == 4 ? rcx : rax;
    if (at == 16) put(Inst::kIdVextracti128, kA.xmm(), kA, Imm(1));
    at % 16 == 0 ? put(Inst::kIdVmovq, qword, kA.xmm()) : put(Inst::kIdVpextrq, qword, kA.xmm(), Imm(1));
    if (indexBytes == 8) return;
    put(Inst::kIdMovsxd, rax, ecx);
    put(Inst::kIdSar, rcx, Imm(32));
}

void Avx2Assembler::storeLane(std::uint32_t lane, std::uint32_t laneBytes, const Mem& to) {
    const std::uint32_t at = lane * laneBytes;
    const std::uint32_t number = at % 16 / laneBytes;
    const bool wide = laneBytes == 8;
    if (at == 16) put(Inst::kIdVextracti128, kB.xmm(), kB, Imm(1));
    if (number == 0)
        put(wide ? Inst::kIdVmovq : Inst::kIdVmovd, to, kB.xmm());
    else
        put(wide ? Inst::kIdVpextrq : Inst::kIdVpextrd, to, kB.xmm(), Imm(number));
}

}  // namespace zetl::emulator::translate
