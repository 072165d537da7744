// tidy: without the analyzer, which follows asmjit into shifts that its callers exclude
// Sources to lanes: any type at the strides that compilers use.
#include "emulator/translate/lanes/convert.h"

#include <algorithm>
#include <utility>

namespace zetl::emulator::translate {

using namespace asmjit::x86;
using asmjit::Imm;
using asmjit::InstId;
using isa::DataType;
using isa::LaneType;
namespace layout = isa::layout;

namespace {

/// How lanes of 32 or 64 bits are filled from elements of fewer.
InstId widening(std::uint32_t fromBytes, std::uint32_t toBytes, bool isSigned) {
    if (toBytes == 4) {
        if (fromBytes == 1) return isSigned ? Inst::kIdVpmovsxbd : Inst::kIdVpmovzxbd;
        return isSigned ? Inst::kIdVpmovsxwd : Inst::kIdVpmovzxwd;
    }
    if (fromBytes == 1) return isSigned ? Inst::kIdVpmovsxbq : Inst::kIdVpmovzxbq;
    if (fromBytes == 2) return isSigned ? Inst::kIdVpmovsxwq : Inst::kIdVpmovzxwq;
    return isSigned ? Inst::kIdVpmovsxdq : Inst::kIdVpmovzxdq;
}
/// The low bytes, by number less one, of lanes of 32 and 64 bits.
struct UnsignedPart {
    using Slot = std::array<std::uint64_t, RegisterCache::kSlotBytes / 8>;
    alignas(RegisterCache::kSlotBytes) std::array<std::array<Slot, 4>, 2> lane{};
    constexpr UnsignedPart() {
        lane[0][0].fill(0x000000ff000000ff);
        lane[0][1].fill(0x0000ffff0000ffff);
        lane[1][0].fill(0xff);
        lane[1][1].fill(0xffff);
        lane[1][3].fill(0xffffffff);
    }
};
constexpr UnsignedPart kUnsignedPart;

/// The lane type as which elements are loaded before they are converted to floats.
LaneType loadedAs(const Meaning& what) {
    const bool wide = what.lanes == LaneType::f64;
    return isa::isSigned(what.type) || isa::byteSize(what.type) < 4 ? (wide ? LaneType::i64 : LaneType::i32)
                                                                    : (wide ? LaneType::u64 : LaneType::u32);
}
bool carriesBits(const Meaning& what) {
    return (what.type == DataType::f && what.lanes == LaneType::f32) ||
           (what.type == DataType::df && what.lanes == LaneType::f64);
}
bool becomesReal(const Meaning& what) {
    if (!isWholeNumber(what.type) || !isa::isReal(what.lanes)) return false;
    return isa::byteSize(what.type) < 8 || what.lanes == LaneType::f64;
}
bool isSimple(const Meaning& what) {
    if (isWholeNumber(what.type)) return !isa::isReal(what.lanes) || becomesReal(what);
    return carriesBits(what) || (what.type == DataType::bf && what.lanes == LaneType::f32);
}
InstId toReal(const Meaning& what) {
    const bool isSigned = loadedAs(what) == LaneType::i32 || loadedAs(what) == LaneType::i64;
    if (what.lanes == LaneType::f32) return isSigned ? Inst::kIdVcvtdq2ps : Inst::kIdVcvtudq2ps;
    return isSigned ? Inst::kIdVcvtqq2pd : Inst::kIdVcvtuqq2pd;
}

}  // namespace

/// Part of a slot, from its register if it is in one.
asmjit::Operand Conversions::part(std::uint32_t place, std::uint32_t bytes) {
    const std::uint32_t inSlot = place % RegisterCache::kSlotBytes;
    const auto held = cache_.held(place - inSlot);
    if (!held || inSlot % bytes != 0 || bytes < 16) {
        cache_.store(place, bytes);
        if (bytes != 32 || a_.hasFewRegisters() || !values_.isPart(place) || !values_.isPart(place + 16))
            return state(place, bytes);
        a_.vmovdqu(xmm5, state(place, 16));
        a_.vinserti32x4(ymm5, ymm5, state(place + 16, 16), 1);
        return ymm5;
    }
    const std::uint32_t index = inSlot / bytes;
    if (index == 0) return bytes == 32 ? asmjit::Operand(held->ymm()) : asmjit::Operand(held->xmm());
    if (bytes == 32) {
        a_.vextracti64x4(ymm5, *held, index);
        return ymm5;
    }
    a_.vextracti32x4(xmm5, *held, index);
    return xmm5;
}

/// Loads sixteen of them. From slots that are held, or could be: a load from memory would wait for earlier stores
/// there.
void Conversions::loadEverySecondDword(std::uint32_t place, Vec d) {
    constexpr std::uint32_t kHigh = 4;
    const std::uint32_t inSlot = place % RegisterCache::kSlotBytes;
    if (inSlot == 0 || inSlot == kHigh) {
        Numbers order;
        for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = 2 * i + inSlot / kHigh;
        const Zmm low = cache_.read(place - inSlot);
        const Zmm high = cache_.read(place - inSlot + RegisterCache::kSlotBytes);
        a_.pickDwords(d.as<Zmm>(), std::array<asmjit::Operand, 2>{low, high}, order, numbers_.of(order));
        return;
    }
    for (std::uint32_t half = 0; half < 2; ++half) {
        const std::uint32_t at = place + half * RegisterCache::kSlotBytes;
        cache_.store(at, RegisterCache::kSlotBytes);
        a_.vmovdqu64(zmm5, state(at, 64));
        a_.vpmovqd(half == 0 ? ymm0 : ymm4, zmm5);
    }
    a_.vinserti64x4(d.as<Zmm>(), zmm0, ymm4, 1);
}

/// A vector of lanes whose elements lie far apart.
void Conversions::loadApart(std::uint32_t place, std::uint32_t spacing, std::uint32_t laneBytes, const Vec& d) {
    const std::uint32_t lanes = RegisterCache::kSlotBytes / laneBytes;
    Numbers places{};
    for (std::uint32_t i = 0; i < lanes; ++i) places[i] = place + i * spacing;
    cache_.store(place, (lanes - 1) * spacing + laneBytes);
    a_.vmovdqu64(zmm4, numbers_.of(places));
    a_.mov(ecx, (1 << lanes) - 1);
    a_.kmovd(k3, ecx);
    laneBytes == 4 ? a_.k(k3).vpgatherdd(d, ptr(rbx, zmm4)) : a_.k(k3).vpgatherdq(d, ptr(rbx, ymm4));
}

/// Elements that do not begin where their lanes do. From a slot that is held, or could be: a load from memory would
/// wait for earlier stores there.
void Conversions::loadWithinLanes(const Load& load, std::uint32_t place, const Vec& d) {
    const std::uint32_t below = place % load.laneBytes;
    const std::uint32_t above = load.laneBytes - load.bytes - below;
    const bool lane4 = load.laneBytes == 4;
    const Zmm held = cache_.read(place - below);
    if (above != 0) a_.emit(lane4 ? Inst::kIdVpslld : Inst::kIdVpsllq, d, held, Imm(8 * above));
    const InstId right =
        load.isSigned ? (lane4 ? Inst::kIdVpsrad : Inst::kIdVpsraq) : (lane4 ? Inst::kIdVpsrld : Inst::kIdVpsrlq);
    a_.emit(right, d, above != 0 ? d : Vec(held), Imm(8 * (above + below)));
}

/// One vector of elements, extended to the lanes as integers.
void Conversions::loadLanes(const Load& load, std::uint32_t vector, Vec d) {
    const std::uint32_t spacing = load.bytes * load.stride;
    const std::uint32_t perVector = RegisterCache::kSlotBytes / load.laneBytes;
    const std::uint32_t place = load.place + vector * perVector * spacing;
    const bool lane4 = load.laneBytes == 4;
    if (spacing > load.laneBytes) {
        lane4&& spacing == 8 ? loadEverySecondDword(place, d) : loadApart(place, spacing, load.laneBytes, d);
    } else if (spacing == load.laneBytes) {
        if (place % RegisterCache::kSlotBytes == 0) {
            const Zmm held = cache_.read(place);
            if (load.bytes < load.laneBytes) return extendLanes(load, d, held);
            a_.vmovdqa64(d.as<Zmm>(), held);
        } else if (place % RegisterCache::kSlotBytes + load.bytes <= load.laneBytes) {
            return loadWithinLanes(load, place, d);
        } else {
            cache_.store(place, RegisterCache::kSlotBytes);
            a_.vmovdqu64(d.as<Zmm>(), state(place, 64));
        }
    } else {
        const bool extends = load.isSigned && load.stride == 1;
        const bool few = 2 * load.lanes <= perVector && spacing * perVector >= 32;
        const Vec to = few ? Vec(d.as<Zmm>().ymm()) : d;
        a_.emit(widening(spacing, load.laneBytes, extends), to, part(place, spacing * perVector / (few ? 2 : 1)));
        if (extends) return;
    }
    if (load.bytes >= load.laneBytes || (load.stride == 1 && !load.isSigned)) return;
    extendLanes(load, d, d);
}

/// The low bytes of lanes, extended.
void Conversions::extendLanes(const Load& load, Vec d, Vec value) {
    const bool lane4 = load.laneBytes == 4;
    const std::uint32_t unused = (load.laneBytes - load.bytes) * 8;
    if (!load.isSigned) {
        const auto& low = kUnsignedPart.lane[lane4 ? 0 : 1][load.bytes - 1];
        a_.vpandq(d, value, cache_.read(reinterpret_cast<std::uint64_t>(&low)));
        return;
    }
    a_.emit(lane4 ? Inst::kIdVpslld : Inst::kIdVpsllq, d, value, Imm(unused));
    a_.emit(lane4 ? Inst::kIdVpsrad : Inst::kIdVpsraq, d, d, Imm(unused));
}

/// One element, extended to 64 bits, in r11.
void Conversions::loadLane(std::uint32_t place, DataType type) {
    const bool isSigned = isa::isSigned(type) && !isa::isReal(type);
    if (cache_.isLane(place, isa::byteSize(type))) return extendLane(type, isSigned);
    cache_.store(place, isa::byteSize(type));
    const Mem at = state(place, isa::byteSize(type));
    switch (isa::byteSize(type)) {
        case 1:
        case 2:
            isSigned ? a_.movsx(r11, at) : a_.movzx(r11d, at);
            return;
        case 4:
            isSigned ? a_.movsxd(r11, at) : a_.mov(r11d, at);
            return;
        default:
            a_.mov(r11, at);
    }
}

/// lane(), extended to 64 bits, in r11.
void Conversions::extendLane(DataType type, bool isSigned) {
    switch (isa::byteSize(type)) {
        case 1:
            a_.vmovd(r11d, RegisterCache::lane());
            isSigned ? a_.movsx(r11, r11b) : a_.movzx(r11d, r11b);
            return;
        case 2:
            a_.vmovd(r11d, RegisterCache::lane());
            isSigned ? a_.movsx(r11, r11w) : a_.movzx(r11d, r11w);
            return;
        case 4:
            a_.vmovd(r11d, RegisterCache::lane());
            if (isSigned) a_.movsxd(r11, r11d);
            return;
        default:
            a_.vmovq(r11, RegisterCache::lane());
    }
}

bool Conversions::convert(const Step& m, const Meaning& what) {
    if (m.src[0] >= layout::kBytes || !isSimple(what)) return widen(m, what);
    const auto from = static_cast<std::uint32_t>(m.src[0]);
    const bool real = becomesReal(what);
    const bool brain = what.type == DataType::bf;
    const std::uint32_t laneBytes = isa::byteSize(what.lanes);
    const std::uint32_t perVector = RegisterCache::kSlotBytes / laneBytes;
    const Load load{.place = from,
                    .bytes = std::min(isa::byteSize(what.type), laneBytes),
                    .stride = what.stride * isa::byteSize(what.type) / std::min(isa::byteSize(what.type), laneBytes),
                    .laneBytes = laneBytes,
                    .isSigned = isa::isSigned(what.type) && !isa::isReal(what.type),
                    .lanes = m.line < code_.lines() ? code_.instructions[m.line].width : 32u};
    const bool single = !what.wide || what.stride == 0;
    const std::uint32_t vectors = what.wide ? m.chunks * 16u / perVector : 1;
    const auto finishVector = [&](Vec d) {
        if (real) a_.emit(toReal(what), d, d);
        if (brain) a_.emit(Inst::kIdVpslld, d, d, Imm(16));
    };
    const auto end = from + vectors * perVector * load.bytes * load.stride + RegisterCache::kSlotBytes;
    const bool apart = end <= m.dst || from >= m.dst + vectors * RegisterCache::kSlotBytes;
    if (!single && !real && !brain && stayExtended(m, load, vectors)) {
        values_.share({m.dst, vectors, from, RegisterCache::kSlotBytes, false});
        return true;
    }
    if (single && what.wide && load.bytes == laneBytes && !real && !brain && apart) {
        broadcastLane(m, what, vectors);
        return true;
    }
    if (single) {
        const Vec d = loadOne(from, what);
        finishVector(d);
        for (std::uint32_t v = 0; v < vectors; ++v) values_.writeVector(m.dst, v, d, what, false);
        return true;
    }
    for (std::uint32_t v = 0; v < vectors; ++v) {
        cache_.release();
        const auto held = apart ? values_.resultRegister(m.dst, v, what) : std::nullopt;
        const Zmm d = held.value_or(zmm1);
        loadLanes(load, v, d);
        finishVector(d);
        if (!held) values_.writeVector(m.dst, v, d, what, false);
    }
    return true;
}

/// One element, extended to one lane or to all.
Vec Conversions::loadOne(std::uint32_t place, const Meaning& what) {
    loadLane(place, what.type);
    const Vec d = temporary(1, what.wide);
    if (!what.wide)
        a_.vmovq(d.as<Xmm>(), r11);
    else if (isa::byteSize(what.lanes) == 4)
        a_.emit(Inst::kIdVpbroadcastd, d, r11d);
    else
        a_.emit(Inst::kIdVpbroadcastq, d, r11);
    return d;
}

/// One element for all lanes, as it is.
void Conversions::broadcastLane(const Step& m, const Meaning& what, std::uint32_t vectors) {
    const std::uint32_t laneBytes = isa::byteSize(what.lanes);
    const auto from = static_cast<std::uint32_t>(m.src[0]);
    if (mayShare(m, laneBytes)) {
        values_.share({m.dst, vectors, from, laneBytes});
        return;
    }
    const Zmm lanes = values_.sharedLane(from, laneBytes);
    for (std::uint32_t v = 0; v < vectors; ++v) {
        const auto result = values_.resultRegister(m.dst, v, what);
        if (result)
            a_.vmovdqa64(*result, lanes);
        else
            values_.writeVector(m.dst, v, lanes, what, false);
    }
}

bool Conversions::mayShare(const Step& m, std::uint32_t bytes, std::uint32_t steps) const {
    if (host_.line.rest.empty()) return false;
    const auto from = static_cast<std::uint32_t>(m.src[0]);
    return std::ranges::all_of(host_.line.rest, [&](const Step& s) {
        constexpr std::uint32_t kMostBytes = 8;  // of a lane, with its stride
        if (&s < &m + steps) return true;
        const Meaning* const what = host_.meaningOf(s);
        if (what == nullptr || !what->wide || (s.dst >= m.dst && s.dst < m.dst + layout::kLaneBytes)) return false;
        const bool changes = s.dst < from + bytes && from < s.dst + s.chunks * 16u * kMostBytes * s.stride;
        switch (what->family) {
            case Family::convert:
                return s.src[0] < layout::kNull || s.src[0] >= layout::kBytes;
            case Family::compute:
            case Family::pick:
                return s.dst >= layout::kNull || !changes;
            case Family::retire:
                return s.stride == 1 && !changes;
            case Family::compare:
            case Family::modify:
                return true;
            default:
                return false;
        }
    });
}

/// Whether such dwords already lie like the lanes that they become, and will until the line is done.
bool Conversions::stayExtended(const Step& m, const Load& load, std::uint32_t vectors) const {
    if (load.isSigned || load.bytes != 4 || load.laneBytes != 8 || load.stride != 2) return false;
    for (std::uint32_t v = 0; v < vectors; ++v)
        if (!cache_.isExtended(load.place + v * RegisterCache::kSlotBytes)) return false;
    return mayShare(m, vectors * RegisterCache::kSlotBytes);
}

/// hf to f32 and f to f64, which are exact but for what the mode does to denormals.
bool Conversions::widen(const Step& m, const Meaning& what) {
    const bool halves = what.type == DataType::hf && what.lanes == LaneType::f32;
    const bool singles = what.type == DataType::f && what.lanes == LaneType::f64;
    if (m.src[0] >= layout::kBytes || !(halves || singles) || what.stride > 2) return false;
    const auto from = static_cast<std::uint32_t>(m.src[0]);
    if (!what.wide || what.stride == 0) {
        widenOne(m, what);
        return true;
    }
    const std::uint32_t vectors = m.chunks * 16u * isa::byteSize(what.lanes) / RegisterCache::kSlotBytes;
    for (std::uint32_t v = 0; v < vectors; ++v) {
        cache_.release();
        if (what.stride == 1) {
            a_.emit(halves ? Inst::kIdVcvtph2ps : Inst::kIdVcvtps2pd, zmm1, part(from + v * 32, 32));
        } else {
            loadLanes({.place = from,
                       .bytes = isa::byteSize(what.type),
                       .stride = 2,
                       .laneBytes = isa::byteSize(what.lanes),
                       .isSigned = false},
                      v, zmm1);
            halves ? widenHalves(zmm1) : widenSingles(zmm1);
        }
        values_.writeVector(m.dst, v, zmm1, what, false);
    }
    return true;
}

/// One element, for one lane or for all.
void Conversions::widenOne(const Step& m, const Meaning& what) {
    const Vec d = temporary(1, what.wide);
    loadLane(static_cast<std::uint32_t>(m.src[0]), what.type);
    what.wide ? a_.emit(Inst::kIdVpbroadcastd, d, r11d) : a_.emit(Inst::kIdVmovd, d, r11d);
    what.type == DataType::hf ? widenHalves(d) : widenSingles(d);
    const std::uint32_t perVector = RegisterCache::kSlotBytes / isa::byteSize(what.lanes);
    const std::uint32_t vectors = what.wide ? m.chunks * 16u / perVector : 1;
    for (std::uint32_t v = 0; v < vectors; ++v) {
        cache_.release();
        values_.writeVector(m.dst, v, d, what, false);
    }
}

/// Lanes of 64 bits that hold an f, or of 32 that all do.
void Conversions::widenSingles(Vec d) {
    if (d.isZmm()) {
        a_.emit(Inst::kIdVpmovqd, ymm4, d);
        a_.emit(Inst::kIdVcvtps2pd, d, ymm4);
        return;
    }
    a_.emit(Inst::kIdVcvtps2pd, d, d);
}

/// Lanes of 32 bits that hold an hf.
void Conversions::widenHalves(Vec d) {
    const Vec half = d.isZmm() ? Vec(ymm0) : Vec(xmm0);
    a_.emit(Inst::kIdVpmovdw, half, d);
    a_.emit(Inst::kIdVcvtph2ps, d, half);
}

}  // namespace zetl::emulator::translate
