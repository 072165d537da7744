// Lanes that become wider or narrower; parts of registers; one value for all lanes.
#include <algorithm>

#include "emulator/translate/avx2/avx2_assembler.h"
#include "emulator/translate/avx2/layout.h"

namespace zetl::emulator::translate {

using namespace asmjit::x86;
using asmjit::Imm;
using namespace avx2;

namespace {

struct Widening {
    asmjit::InstId id;
    std::uint8_t from;  ///< bytes of a lane
    std::uint8_t to;
};
constexpr Widening kWidenings[] = {
    {Inst::kIdVpmovzxbd, 1, 4}, {Inst::kIdVpmovsxbd, 1, 4}, {Inst::kIdVpmovzxbq, 1, 8}, {Inst::kIdVpmovsxbq, 1, 8},
    {Inst::kIdVpmovzxwd, 2, 4}, {Inst::kIdVpmovsxwd, 2, 4}, {Inst::kIdVpmovzxwq, 2, 8}, {Inst::kIdVpmovsxwq, 2, 8},
    {Inst::kIdVpmovzxdq, 4, 8}, {Inst::kIdVpmovsxdq, 4, 8}, {Inst::kIdVpmovzxbw, 1, 2}, {Inst::kIdVpmovsxbw, 1, 2},
    {Inst::kIdVcvtps2pd, 4, 8}, {Inst::kIdVcvtdq2pd, 4, 8}, {Inst::kIdVcvtph2ps, 2, 4},
};

struct Narrowing {
    asmjit::InstId id;
    std::uint8_t from;
    std::uint8_t to;
};
constexpr Narrowing kNarrowings[] = {
    {Inst::kIdVpmovdw, 4, 2}, {Inst::kIdVpmovdb, 4, 1}, {Inst::kIdVpmovqd, 8, 4},
    {Inst::kIdVpmovqw, 8, 2}, {Inst::kIdVpmovqb, 8, 1},
};

}  // namespace

bool Avx2Assembler::resize(const Wide& i) {
    const auto* const wider = std::ranges::find(kWidenings, i.id, &Widening::id);
    if (wider != std::end(kWidenings)) return widen(i, i.id, wider->from, wider->to);
    return narrow(i) || convertNarrower(i) || extract(i) || insert(i) || broadcast(i);
}

/// The upper half first: the lower one may overwrite the source.
bool Avx2Assembler::widen(const Wide& i, InstId id, std::uint32_t from, std::uint32_t laneBytes) {
    for (std::uint32_t h = i.halves(); h-- > 0;) {
        const Operand to = half(i.operand[0], h);
        const std::uint32_t bytes = bytesOf(to);
        const std::uint32_t taken = bytes * from / laneBytes;
        const bool direct = !to.isMem() && i.mask == 0;
        const Vec result = direct ? to.as<Vec>() : sized(kA.id(), bytes);
        put(id, result, part(i.operand[1], h * taken, taken, kB));
        if (!finishHalf(i, h, result, laneBytes)) return false;
    }
    return true;
}

/// Low parts of lanes: all of them in ymm15, then as many as there are bytes.
bool Avx2Assembler::narrow(const Wide& i) {
    const auto* const what = std::ranges::find(kNarrowings, i.id, &Narrowing::id);
    if (what == std::end(kNarrowings)) return false;
    const std::uint32_t bytes = i.bytes;  // of the source
    const bool whole = bytes == 64;
    const Vec x = sized(kC.id(), bytes);
    const Operand low = half(i.operand[1], 0);
    std::uint32_t lane = what->from;
    if (lane == 8) {
        const Vec first = loaded(low, kC);
        if (whole) {
            put(Inst::kIdVshufps, kC, first, half(i.operand[1], 1), Imm(0x88));
            put(Inst::kIdVpermq, kC, kC, Imm(0xd8));
        } else {
            put(Inst::kIdVpshufd, x, first, Imm(0x88));
            if (bytes == 32) put(Inst::kIdVpermq, kC, kC, Imm(0x08));
        }
        lane = 4;
    }
    // Now lanes of four bytes: of two vectors, or, made here, of one.
    if (what->to < 4) {
        const bool made = what->from == 8;
        const std::size_t kept = what->to == 2 ? kLowWords : kLowBytes;
        const std::uint32_t size = made ? (whole ? 32 : 16) : std::min(bytes, 32u);
        const Vec y = sized(kC.id(), size);
        const Vec z = sized(kA.id(), size);
        put(Inst::kIdVpand, y, made ? Vec(y) : loaded(low, y), constant(kept, size));
        if (!made && whole)
            put(Inst::kIdVpand, z, loaded(half(i.operand[1], 1), z), constant(kept, size));
        else
            put(Inst::kIdVpxor, z, z, z);
        put(Inst::kIdVpackusdw, y, y, z);
        if (size == 32) put(Inst::kIdVpermq, kC, kC, Imm(0xd8));
        if (what->to == 1) {
            put(Inst::kIdVextracti128, kA.xmm(), kC, Imm(1));
            if (size == 16) put(Inst::kIdVpxor, kA.xmm(), kA.xmm(), kA.xmm());
            put(Inst::kIdVpackuswb, kC.xmm(), kC.xmm(), kA.xmm());
        }
    }
    const Operand& to = i.operand[0];
    const std::uint32_t made = bytes / what->from * what->to;
    if (i.mask != 0) {
        // Of the thread's own memory or registers, as many bytes as are made.
        if (made < 16) return false;
        put(Inst::kIdVmovdqu, sized(kA.id(), made), sized(kC.id(), made));
        Wide rest = i;
        if (to.isMem()) rest.operand[0].as<Mem>().setSize(made);
        return finishHalf(rest, 0, sized(kA.id(), made), what->to);
    }
    if (to.isMem()) {
        Mem place = to.as<Mem>();
        place.setSize(made);
        if (made == 4)
            put(Inst::kIdVmovd, place, kC.xmm());
        else if (made == 8)
            put(Inst::kIdVmovq, place, kC.xmm());
        else
            put(Inst::kIdVmovdqu, place, sized(kC.id(), made));
        return true;
    }
    put(Inst::kIdVmovdqu, half(to, 0), sized(kC.id(), bytesOf(to)));
    return true;
}

/// pd to ps, ps to ph.
bool Avx2Assembler::convertNarrower(const Wide& i) {
    const bool halves = i.id == Inst::kIdVcvtps2ph;
    if (!halves && i.id != Inst::kIdVcvtpd2ps) return false;
    if (i.mask != 0) return false;
    const Operand x = half(i.operand[1], 0);
    const std::uint32_t bytes = bytesOf(x);
    const Operand extra = halves ? i.operand[2] : Operand{};
    put(i.id, kC.xmm(), loaded(x, kB), extra);
    if (i.halves() == 2) {
        put(i.id, kA.xmm(), loaded(half(i.operand[1], 1), kB), extra);
        put(Inst::kIdVinserti128, kC, kC, kA.xmm(), Imm(1));
    }
    const std::uint32_t made = i.halves() == 2 ? 32 : bytes / 2;
    const Operand& to = i.operand[0];
    if (to.isMem()) {
        Mem place = to.as<Mem>();
        place.setSize(made);
        made == 8 ? put(Inst::kIdVmovq, place, kC.xmm()) : put(Inst::kIdVmovdqu, place, sized(kC.id(), made));
        return true;
    }
    put(Inst::kIdVmovdqu, half(to, 0), sized(kC.id(), bytesOf(to)));
    return true;
}

bool Avx2Assembler::extract(const Wide& i) {
    const bool quarters = i.id == Inst::kIdVextracti32x4 || i.id == Inst::kIdVextracti64x2;
    if (!quarters && i.id != Inst::kIdVextracti64x4 && i.id != Inst::kIdVextracti32x8) return false;
    if (i.mask != 0) return false;
    const std::uint32_t bytes = quarters ? 16 : 32;
    const std::uint32_t offset = i.immediate(2) * bytes;
    const Vec into = sized(kA.id(), bytes);
    Operand from = quarters ? part(i.operand[1], offset, bytes, kA) : half(i.operand[1], offset / 32);
    Operand to = half(i.operand[0], 0);
    if (from.isMem() && to.isMem()) from = loaded(from, into);
    put(Inst::kIdVmovdqu, to, from);
    return true;
}

/// The upper half first: the lower one may overwrite what is inserted.
bool Avx2Assembler::insert(const Wide& i) {
    if (i.id != Inst::kIdVinserti64x4 && i.id != Inst::kIdVinserti32x8) return false;
    if (i.mask != 0) return false;
    const std::uint32_t at = i.immediate(3);
    const Operand given = half(i.operand[2], 0);
    const auto copy = [&](std::uint32_t number, Operand from) {
        const Operand to = half(i.operand[0], number);
        if (from.isMem() && to.isMem()) from = loaded(from, kA);
        const bool same = !to.isMem() && !from.isMem() && to.id() == from.id();
        if (!same) put(Inst::kIdVmovdqu, to, from);
    };
    if (at == 1) {
        copy(1, given);
        copy(0, half(i.operand[1], 0));
    } else {
        copy(1, half(i.operand[1], 1));
        copy(0, given);
    }
    return true;
}

bool Avx2Assembler::broadcast(const Wide& i) {
    const std::uint32_t laneBytes = i.id == Inst::kIdVpbroadcastd   ? 4
                                    : i.id == Inst::kIdVpbroadcastq ? 8
                                    : i.id == Inst::kIdVpbroadcastw ? 2
                                    : i.id == Inst::kIdVpbroadcastb ? 1
                                                                    : 0;
    if (laneBytes == 0) return false;
    const Operand& from = i.operand[1];
    const Vec all = sized(kA.id(), std::min(i.bytes, 32u));
    if (Reg::isGp(from)) {
        laneBytes == 8 ? put(Inst::kIdVmovq, kA.xmm(), gpq(from.id())) : put(Inst::kIdVmovd, kA.xmm(), gpd(from.id()));
        put(i.id, all, kA.xmm());
    } else if (from.isMem()) {
        Mem place = from.as<Mem>();
        place.setSize(laneBytes);
        put(i.id, all, place);
    } else {
        put(i.id, all, part(from, 0, inRegister(from) ? 16 : laneBytes, kA));
    }
    // The value may be in what the result overwrites; it has been taken.
    for (std::uint32_t h = 0; h < i.halves(); ++h) {
        if (i.mask != 0 && h == 0 && i.halves() == 2) put(Inst::kIdVmovdqu, frame(kSpare, 32), kA);
        if (i.mask != 0 && h == 1) put(Inst::kIdVmovdqu, kA, frame(kSpare, 32));
        if (!finishHalf(i, h, all, laneBytes)) return false;
    }
    return true;
}

}  // namespace zetl::emulator::translate
