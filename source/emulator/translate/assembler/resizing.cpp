// Lanes that become wider or narrower; parts of registers; one value for all lanes.
#include <algorithm>

#include "emulator/translate/assembler/avx2_assembler.h"
#include "emulator/translate/assembler/instruction_table.h"
#include "emulator/translate/assembler/layout.h"

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
constexpr InstructionTable kWideningTable(kWidenings);

struct Narrowing {
    asmjit::InstId id;
    std::uint8_t from;
    std::uint8_t to;
};
constexpr Narrowing kNarrowings[] = {
    {Inst::kIdVpmovdw, 4, 2}, {Inst::kIdVpmovdb, 4, 1}, {Inst::kIdVpmovqd, 8, 4},
    {Inst::kIdVpmovqw, 8, 2}, {Inst::kIdVpmovqb, 8, 1}, {Inst::kIdVpmovwb, 2, 1},
};
constexpr InstructionTable kNarrowingTable(kNarrowings);

/// What lanes of 64 bits are then.
std::uint8_t widened(asmjit::InstId id) {
    if (id == Inst::kIdVpmovzxdq) return HostState::kUnsigned32;
    if (id == Inst::kIdVpmovzxbq || id == Inst::kIdVpmovzxwq) return HostState::kBoth;
    const bool isSigned = id == Inst::kIdVpmovsxbq || id == Inst::kIdVpmovsxwq || id == Inst::kIdVpmovsxdq;
    return isSigned ? HostState::kSigned32 : HostState::kAny;
}

}  // namespace

bool Avx2Assembler::resize(const Wide& i) {
    const Widening* const wider = kWideningTable.find(i.id);
    if (wider != nullptr) return widen(i, i.id, wider->from, wider->to);
    return narrow(i) || convertNarrower(i) || extract(i) || insert(i) || broadcast(i);
}

/// The upper half first: the lower one may overwrite the source.
bool Avx2Assembler::widen(const Wide& i, InstId id, std::uint32_t from, std::uint32_t laneBytes) {
    for (std::uint32_t h = i.halves(); h-- > 0;) {
        release();
        const std::uint32_t bytes = std::min(bytesOf(i.operand[0]), 32u);
        const std::uint32_t taken = bytes * from / laneBytes;
        const Operand source = part(i.operand[1], h * taken, taken, kB);
        const Vec result = fresh(bytes);
        put(id, result, source);
        if (!finishHalf(i, h, result, laneBytes)) return false;
        if (laneBytes == 8) noteRange(i, h, widened(id));
    }
    return true;
}

/// The low dwords of lanes of 64 bits.
Vec Avx2Assembler::lowDwords(const Wide& i) {
    constexpr std::uint8_t kEven = 0x88;
    const Vec first = loaded(i.operand[1], 0);
    const Vec made = fresh(std::min(i.bytes, 32u));
    if (i.bytes == 64) {
        put(Inst::kIdVshufps, made, first, half(i.operand[1], 1), Imm(kEven));
        put(Inst::kIdVpermq, made, made, Imm(0xd8));
        return made;
    }
    put(Inst::kIdVpshufd, made, first, Imm(kEven));
    if (i.bytes == 32) put(Inst::kIdVpermq, made, made, Imm(0x08));
    return made;
}

/// The low words or bytes of dwords: of those that are there already, or of the source.
Vec Avx2Assembler::packDwords(const Wide& i, const std::optional<Vec>& made, std::uint32_t to) {
    const std::size_t kept = to == 2 ? kLowWords : kLowBytes;
    const std::uint32_t size = std::min(made ? i.bytes / 2 : i.bytes, 32u) > 16 ? 32 : 16;
    const Vec x = sized(fresh(32).id(), size);
    const Vec y = sized(kA.id(), size);
    put(Inst::kIdVpand, x, made ? sized(made->id(), size) : loaded(i.operand[1], 0), constant(kept, size));
    if (!made && i.bytes == 64)
        put(Inst::kIdVpand, y, loaded(i.operand[1], 1), constant(kept, size));
    else
        put(Inst::kIdVpxor, y, y, y);
    put(Inst::kIdVpackusdw, x, x, y);
    if (size == 32) put(Inst::kIdVpermq, x, x, Imm(0xd8));
    if (to == 2) return x;
    if (size == 32)
        put(Inst::kIdVextracti128, kA.xmm(), x, Imm(1));
    else
        put(Inst::kIdVpxor, kA.xmm(), kA.xmm(), kA.xmm());
    put(Inst::kIdVpackuswb, Xmm(x.id()), Xmm(x.id()), kA.xmm());
    return x;
}

/// The low bytes of words.
Vec Avx2Assembler::packWords(const Wide& i) {
    constexpr std::uint8_t kEvenQwords = 0xd8;
    const std::uint32_t size = std::min(i.bytes, 32u);
    const Vec low = sized(kB.id(), size);
    put(Inst::kIdVpcmpeqd, low, low, low);
    put(Inst::kIdVpsrlw, low, low, Imm(8));
    const Vec x = fresh(size);
    const Vec y = sized(kA.id(), size);
    put(Inst::kIdVpand, x, low, half(i.operand[1], 0));
    if (i.bytes == 64)
        put(Inst::kIdVpand, y, low, half(i.operand[1], 1));
    else
        put(Inst::kIdVpxor, y, y, y);
    put(Inst::kIdVpackuswb, x, x, y);
    if (size == 32) put(Inst::kIdVpermq, x, x, Imm(kEvenQwords));
    return x;
}

/// That many low bytes to memory, or all to a register.
void Avx2Assembler::putPart(const Operand& to, const Vec& value, std::uint32_t bytes) {
    if (!to.isMem()) {
        become(to, 0, sized(value.id(), bytesOf(to)));
        return;
    }
    Mem place = to.as<Mem>();
    place.setSize(bytes);
    const InstId id = bytes == 4 ? Inst::kIdVmovd : bytes == 8 ? Inst::kIdVmovq : Inst::kIdVmovdqu;
    put(id, place, sized(value.id(), bytes));
}

/// Low parts of lanes.
bool Avx2Assembler::narrow(const Wide& i) {
    const Narrowing* const what = kNarrowingTable.find(i.id);
    if (what == nullptr) return false;
    std::optional<Vec> value;
    if (what->from == 8) value = lowDwords(i);
    if (what->from == 2)
        value = packWords(i);
    else if (what->to < 4)
        value = packDwords(i, value, what->to);
    const std::uint32_t made = i.bytes / what->from * what->to;
    if (i.mask == 0) {
        putPart(i.operand[0], *value, made);
        return true;
    }
    // Of the thread's own memory or registers, as many bytes as are made.
    if (made < 16) return false;
    Wide part = i;
    if (part.operand[0].isMem()) part.operand[0].as<Mem>().setSize(made);
    return finishHalf(part, 0, sized(value->id(), made), what->to);
}

/// pd to ps, ps to ph.
bool Avx2Assembler::convertNarrower(const Wide& i) {
    const bool halves = i.id == Inst::kIdVcvtps2ph;
    if (!halves && i.id != Inst::kIdVcvtpd2ps) return false;
    if (i.mask != 0) return false;
    const Operand extra = halves ? i.operand[2] : Operand{};
    const Vec first = loaded(i.operand[1], 0);
    const Vec made = fresh(32);
    put(i.id, Xmm(made.id()), first, extra);
    if (i.halves() == 2) {
        put(i.id, kA.xmm(), loaded(i.operand[1], 1), extra);
        put(Inst::kIdVinserti128, made, made, kA.xmm(), Imm(1));
    }
    putPart(i.operand[0], made, i.bytes / 2);
    return true;
}

bool Avx2Assembler::extract(const Wide& i) {
    const bool quarters = i.id == Inst::kIdVextracti32x4 || i.id == Inst::kIdVextracti64x2;
    if (!quarters && i.id != Inst::kIdVextracti64x4 && i.id != Inst::kIdVextracti32x8) return false;
    if (i.mask != 0) return false;
    const std::uint32_t bytes = quarters ? 16 : 32;
    const std::uint32_t offset = i.immediate(2) * bytes;
    const Operand from = part(i.operand[1], offset, bytes, kA);
    if (!from.isMem()) {
        become(i.operand[0], 0, sized(from.id(), bytes));
        return true;
    }
    const Vec value = fresh(bytes);
    put(Inst::kIdVmovdqu, value, from);
    become(i.operand[0], 0, value);
    return true;
}

/// The upper half first: the lower one may overwrite what is inserted.
bool Avx2Assembler::insert(const Wide& i) {
    if (i.id != Inst::kIdVinserti64x4 && i.id != Inst::kIdVinserti32x8) return false;
    if (i.mask != 0) return false;
    const auto copy = [&](std::uint32_t number, const Operand& from, std::uint32_t of) {
        if (from.isReg() && halfOf(i.operand[0], number) == halfOf(from, of)) return;
        become(i.operand[0], number, sized(loaded(from, of).id(), 32));
    };
    if (i.immediate(3) == 1) {
        copy(1, i.operand[2], 0);
        copy(0, i.operand[1], 0);
    } else {
        copy(1, i.operand[1], 1);
        copy(0, i.operand[2], 0);
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
    const std::uint32_t bytes = std::min(i.bytes, 32u);
    Operand value;
    if (Reg::isGp(from)) {
        laneBytes == 8 ? put(Inst::kIdVmovq, kA.xmm(), gpq(from.id())) : put(Inst::kIdVmovd, kA.xmm(), gpd(from.id()));
        value = kA.xmm();
    } else {
        value = from.isMem() ? from : half(from, 0);
        value.isMem() ? value.as<Mem>().setSize(laneBytes) : void(value = Xmm(value.id()));
    }
    const Vec all = fresh(bytes);
    put(i.id, all, value);
    for (std::uint32_t h = 0; h < i.halves(); ++h)
        if (!finishHalf(i, h, all, laneBytes)) return false;
    return true;
}

}  // namespace zetl::emulator::translate
