// tidy: without the analyzer, which follows asmjit into shifts that its callers exclude
// Lanes to a destination: conversion, the lanes that are on, strides.
#include "emulator/translate/lanes/retire.h"

#include <array>
#include <bit>
#include <cmath>

namespace zetl::emulator::translate {

using namespace asmjit::x86;
using asmjit::Imm;
using asmjit::InstId;
using isa::DataType;
using isa::LaneType;
namespace layout = isa::layout;

namespace {

/// Bits of a lane's elements that the result takes: every `stride`-th.
std::uint64_t everyElement(std::uint32_t stride) {
    return stride == 1 ? ~0ull : stride == 2 ? 0x5555555555555555 : 0x1111111111111111;
}
std::uint64_t spread(std::uint64_t lanes, std::uint32_t stride) {
    std::uint64_t bits = 0;
    for (std::uint32_t i = 0; i * stride < 64; ++i) bits |= (lanes >> i & 1) << i * stride;
    return bits;
}
/// How lanes of 32 bits become elements of 64.
std::optional<InstId> widening(const Meaning& what) {
    const bool isSigned = what.lanes == LaneType::i32;
    if (isWholeNumber(what.lanes) && isWholeNumber(what.type))
        return isSigned ? Inst::kIdVpmovsxdq : Inst::kIdVpmovzxdq;
    if (what.type != DataType::df) return std::nullopt;
    if (what.lanes == LaneType::f32) return Inst::kIdVcvtps2pd;
    return isSigned ? Inst::kIdVcvtdq2pd : Inst::kIdVcvtudq2pd;
}
bool carriesBits(DataType type, LaneType lanes) {
    return (type == DataType::f && lanes == LaneType::f32) || (type == DataType::df && lanes == LaneType::f64);
}

/// Whether one instruction of the host rounds lanes to the type and makes them narrow.
bool narrowsAtOnce(const Meaning& what) {
    return (what.lanes == LaneType::f32 && what.type == DataType::hf) ||
           (isa::byteSize(what.lanes) == 8 && what.type == DataType::f);
}

}  // namespace

/// What becomes of lanes in place: the value's bits at the low end of each lane.
bool Stores::convertsInPlace(const Meaning& what) {
    const bool real = isa::isReal(what.lanes);
    if (isa::byteSize(what.type) > isa::byteSize(what.lanes)) return false;
    if (isWholeNumber(what.type)) return real || isa::byteSize(what.type) == isa::byteSize(what.lanes);
    if (what.type == DataType::f || what.type == DataType::df) return true;
    return what.lanes == LaneType::f32 && (what.type == DataType::hf || what.type == DataType::bf);
}

/// The value as the type shows it; the value itself where only bits move.
Vec Stores::inType(const Meaning& what, Vec value) {
    const Vec d = temporary(0, what.wide);
    const bool narrow = isa::byteSize(what.lanes) == 4;
    const bool isSigned = what.lanes == LaneType::i32 || what.lanes == LaneType::i64;
    if (isWholeNumber(what.type)) {
        if (isWholeNumber(what.lanes)) return value;
        truncate(what, d, value);
        return d;
    }
    const Vec half = what.wide ? Vec(d.as<Zmm>().ymm()) : d;
    if (what.type == DataType::hf) {
        a_.emit(Inst::kIdVcvtps2ph, half, value, Imm(4));
        a_.emit(Inst::kIdVpmovzxwd, d, half);
        return d;
    }
    if (what.type == DataType::bf) {
        toBrain(d, value);
        return d;
    }
    const bool shrinks = isa::byteSize(what.type) < isa::byteSize(what.lanes);
    if (isa::isReal(what.lanes) && !shrinks) return value;
    if (narrow)
        a_.emit(isSigned ? Inst::kIdVcvtdq2ps : Inst::kIdVcvtudq2ps, d, value);
    else if (!shrinks)
        a_.emit(isSigned ? Inst::kIdVcvtqq2pd : Inst::kIdVcvtuqq2pd, d, value);
    else {
        a_.emit(isa::isReal(what.lanes) ? Inst::kIdVcvtpd2ps
                : isSigned              ? Inst::kIdVcvtqq2ps
                                        : Inst::kIdVcvtuqq2ps,
                half, value);
        a_.emit(Inst::kIdVpmovzxdq, d, half);
    }
    return d;
}

/// The upper half of an f, to the nearest even; a NaN stays one.
void Stores::toBrain(Vec d, Vec value) {
    constexpr std::uint32_t kQuiet = 0x400000;
    constexpr std::uint8_t kUnordered = 3;
    const Vec t = temporary(4, d.isZmm());
    a_.emit(Inst::kIdVcmpps, k3, value, value, Imm(kUnordered));
    values_.broadcast(t, 1, 4);
    a_.emit(Inst::kIdVpsrld, d, value, Imm(16));
    a_.emit(Inst::kIdVpandd, d, d, t);
    a_.emit(Inst::kIdVpaddd, d, d, value);
    values_.broadcast(t, 0x7fff, 4);
    a_.emit(Inst::kIdVpaddd, d, d, t);
    values_.broadcast(t, kQuiet, 4);
    a_.k(k3).emit(Inst::kIdVpord, d, value, t);
    a_.emit(Inst::kIdVpsrld, d, d, Imm(16));
}

/// Towards zero; beyond the range its end, and zero for what is no number.
void Stores::truncate(const Meaning& what, Vec d, Vec value) {
    constexpr std::uint8_t kGreaterEqual = 0x1d;
    constexpr std::uint8_t kLessEqual = 0x12;
    constexpr std::uint8_t kUnordered = 3;
    const bool narrow = isa::byteSize(what.lanes) == 4;
    const bool isSigned = isa::isSigned(what.type);
    const std::uint32_t bytes = narrow ? 4 : 8;
    const std::uint32_t bits = isa::byteSize(what.type) * 8;
    const InstId test = narrow ? Inst::kIdVcmpps : Inst::kIdVcmppd;
    const InstId move = narrow ? Inst::kIdVmovdqa32 : Inst::kIdVmovdqa64;
    const Vec t = temporary(4, what.wide);
    const std::uint64_t top = isSigned ? ~0ull >> (65 - bits) : ~0ull >> (64 - bits);
    const std::uint64_t bottom = isSigned ? ~0ull << (bits - 1) : 0;
    const auto real = [&](double v) {
        return narrow ? std::bit_cast<std::uint32_t>(static_cast<float>(v)) : std::bit_cast<std::uint64_t>(v);
    };
    const double high = static_cast<double>(top);  // to the nearest, as the step's own conversion of the limit
    const double low = isSigned ? -std::ldexp(1.0, static_cast<int>(bits) - 1) : 0;
    if (narrow)
        a_.emit(isSigned || bits < 32 ? Inst::kIdVcvttps2dq : Inst::kIdVcvttps2udq, d, value);
    else
        a_.emit(isSigned || bits < 64 ? Inst::kIdVcvttpd2qq : Inst::kIdVcvttpd2uqq, d, value);
    const auto replace = [&](std::uint8_t condition, std::uint64_t limit, std::uint64_t by) {
        values_.broadcast(t, limit, bytes);
        a_.emit(test, k3, value, t, Imm(condition));
        values_.broadcast(t, by, bytes);
        a_.k(k3).emit(move, d, t);
    };
    replace(kGreaterEqual, real(high), top);
    replace(kLessEqual, real(low), bottom);
    a_.emit(test, k3, value, value, Imm(kUnordered));
    a_.emit(Inst::kIdVpxorq, t, t, t);
    a_.k(k3).emit(move, d, t);
}

/// Integers in place, as the type will show them.
bool Stores::narrow(const Step& m, const Meaning& what) {
    const std::uint32_t laneBytes = isa::byteSize(what.lanes);
    const std::uint32_t bytes = isa::byteSize(what.type);
    const bool single = what.lanes == LaneType::f64 && what.type == DataType::f;
    const bool same = isa::isReal(what.lanes) && carriesBits(what.type, what.lanes);
    const bool whole = isWholeNumber(what.lanes) && isWholeNumber(what.type);
    if (same || (whole && bytes >= laneBytes)) return true;
    if (!single && !whole) return false;
    const bool lane4 = laneBytes == 4;
    const std::uint32_t unused = (laneBytes - bytes) * 8;
    const InstId down = isa::isSigned(what.type) ? (lane4 ? Inst::kIdVpsrad : Inst::kIdVpsraq)
                                                 : (lane4 ? Inst::kIdVpsrld : Inst::kIdVpsrlq);
    for (std::uint32_t v = 0; v < m.chunks * 16u * laneBytes / RegisterCache::kSlotBytes; ++v) {
        cache_.release();
        const Vec x = values_.source(m.dst, v, what, 1);
        if (single) {
            a_.vcvtpd2ps(ymm0, x.as<Zmm>());
            a_.vcvtps2pd(zmm0, ymm0);
        } else {
            a_.emit(lane4 ? Inst::kIdVpslld : Inst::kIdVpsllq, zmm0, x, Imm(unused));
            a_.emit(down, zmm0, zmm0, Imm(unused));
        }
        values_.writeVector(m.dst, v, zmm0, what, false);
    }
    return true;
}

bool Stores::retire(const Step& m, const Meaning& what, Gaps gaps) {
    if (!what.wide) return retireLane(m, what);
    const std::uint32_t from = isa::byteSize(what.lanes);
    const std::uint32_t to = isa::byteSize(what.type);
    if (m.stride != 1) return storeStrided(m, what, gaps);
    if (from != to) return to < from ? storeNarrow(m, what) : storeWide(m, what);
    if (!convertsInPlace(what)) return false;
    if (moveFew(m, what)) return true;
    if (what.masked) masks_.setLanes(m.mask);
    const std::uint32_t vectors = m.chunks * 16u * from / RegisterCache::kSlotBytes;
    const std::uint32_t few = what.masked ? masks_.lowestBytes(m.mask, from) : 0;
    for (std::uint32_t v = 0; v < vectors; ++v) {
        cache_.release();
        const Vec value = v == 0 ? values_.lowOf(m.src[0], what, 1, few) : values_.source(m.src[0], v, what, 1);
        values_.writeVector(m.dst, v, inType(what, value), what, what.masked);
    }
    return true;
}

/// Moves the lowest lanes, always the same few, as one number from home to home: a vector would wait for the value that
/// was just stored in it, and make the next reader of one lane wait.
bool Stores::moveFew(const Step& m, const Meaning& what) {
    constexpr std::uint32_t kMost = 16;
    const bool bitsOnly = isWholeNumber(what.lanes) && isWholeNumber(what.type);
    if (!what.masked || !bitsOnly || m.src[0] >= layout::kBytes || values_.isShared(m.src[0])) return false;
    const std::uint32_t bytes = masks_.lowestBytes(m.mask, isa::byteSize(what.type));
    if (bytes == 0 || bytes > kMost || cache_.held(m.dst - m.dst % RegisterCache::kSlotBytes)) return false;
    const auto from = static_cast<std::uint32_t>(m.src[0]);
    if (bytes == 4 || bytes == 8) {
        const Gp value = values_.areGeneralsLent() ? Gp(r11) : cache_.takeSingle(std::array{from});
        a_.emit(Inst::kIdMov, bytes == 8 ? value : Gp(value.r32()), values_.singleAt(from, bytes));
        values_.storeSingle(m.dst, bytes, value);
        return true;
    }
    cache_.store(from, bytes);
    a_.vmovdqu(xmm0, state(from, bytes));
    cache_.evict(m.dst, bytes);
    storeLowest(m.dst, bytes);
    return true;
}

/// One lane, if it is on.
bool Stores::retireLane(const Step& m, const Meaning& what) {
    const std::uint32_t bytes = isa::byteSize(what.type);
    const bool bitsOnly = isWholeNumber(what.lanes) && isWholeNumber(what.type);
    const bool widens = !bitsOnly && bytes > isa::byteSize(what.lanes);
    const auto wider = widens ? widening(what) : std::nullopt;
    if (!bitsOnly && !wider && !convertsInPlace(what)) return false;
    const bool extends = bitsOnly && bytes > isa::byteSize(what.lanes);
    const Label off = a_.newLabel();
    if (what.masked) masks_.setLanes(m.mask);
    Vec value = values_.source(m.src[0], 0, what, 1);
    if (wider) {
        a_.emit(*wider, xmm0, value);
        value = xmm0;
    } else {
        value = inType(what, value);
    }
    cache_.evict(m.dst, bytes);
    if (what.masked) {
        a_.kmovd(eax, k1);
        a_.test(eax, 1);
        a_.jz(off);
    }
    const bool keeps = !what.masked && !extends && bytes <= isa::byteSize(what.lanes);
    if (keeps && value != Vec(RegisterCache::lane())) a_.vmovdqa(RegisterCache::lane(), value.as<Xmm>());
    a_.vmovq(rcx, value.as<Xmm>());
    if (extends) what.lanes == LaneType::i32 ? a_.movsxd(rcx, ecx) : a_.mov(ecx, ecx);
    const Mem at = state(m.dst, bytes);
    switch (bytes) {
        case 1:
            a_.mov(at, cl);
            break;
        case 2:
            a_.mov(at, cx);
            break;
        case 4:
            a_.mov(at, ecx);
            break;
        default:
            a_.mov(at, rcx);
    }
    a_.bind(off);
    if (keeps) cache_.holdLane(m.dst, bytes);
    if (m.dst >= layout::kFlags && m.dst < layout::kFlags + 64) masks_.forgetLanes();
    return true;
}

/// Lanes of 64 bits from 32: two vectors each.
bool Stores::storeWide(const Step& m, const Meaning& what) {
    const auto extend = widening(what);
    if (!extend) return false;
    if (what.masked) masks_.setLanes(m.mask);
    Meaning wide = what;
    wide.lanes = LaneType::u64;
    for (std::uint32_t v = 0; v < m.chunks; ++v) {
        cache_.release();
        const Vec x = values_.source(m.src[0], v, what, 1);
        a_.emit(Inst::kIdVextracti64x4, ymm3, x, Imm(1));
        a_.emit(*extend, zmm0, x.as<Zmm>().ymm());
        a_.vmovdqa64(zmm4, zmm0);
        a_.emit(*extend, zmm0, ymm3);
        values_.writeVector(m.dst, v * 2, zmm4, wide, what.masked);
        values_.writeVector(m.dst, v * 2 + 1, zmm0, wide, what.masked);
    }
    return true;
}

/// One vector in a type of fewer bytes than its lanes have, in the low part of a register.
void Stores::narrow(const Meaning& what, const Zmm& d, Vec x) {
    const std::uint32_t from = isa::byteSize(what.lanes);
    const std::uint32_t to = isa::byteSize(what.type);
    if (!narrowsAtOnce(what)) x = inType(what, x);
    if (from == 4) {
        if (narrowsAtOnce(what))
            a_.emit(Inst::kIdVcvtps2ph, d.ymm(), x, Imm(4));
        else
            to == 2 ? a_.emit(Inst::kIdVpmovdw, d.ymm(), x) : a_.emit(Inst::kIdVpmovdb, d.xmm(), x);
    } else if (narrowsAtOnce(what)) {
        a_.emit(what.lanes == LaneType::f64   ? Inst::kIdVcvtpd2ps
                : what.lanes == LaneType::i64 ? Inst::kIdVcvtqq2ps
                                              : Inst::kIdVcvtuqq2ps,
                d.ymm(), x);
    } else {
        to == 4   ? a_.emit(Inst::kIdVpmovqd, d.ymm(), x)
        : to == 2 ? a_.emit(Inst::kIdVpmovqw, d.xmm(), x)
                  : a_.emit(Inst::kIdVpmovqb, d.xmm(), x);
    }
}

/// Fewer bytes an element than a lane has: part of a slot a vector.
bool Stores::storeNarrow(const Step& m, const Meaning& what) {
    const std::uint32_t from = isa::byteSize(what.lanes);
    const std::uint32_t to = isa::byteSize(what.type);
    const bool whole = isWholeNumber(what.lanes) && isWholeNumber(what.type);
    if (!whole && !convertsInPlace(what)) return false;
    const std::uint32_t perVector = RegisterCache::kSlotBytes / from;
    const std::uint32_t vectors = m.chunks * 16u / perVector;
    const std::uint32_t bytes = perVector * to;
    if (const auto few = masks_.lowestBytes(m.mask, to); what.masked && few != 0 && few <= bytes) {
        cache_.release();
        narrow(what, zmm0, values_.source(m.src[0], 0, what, 1));
        cache_.evict(m.dst, few);
        storeLowest(m.dst, few);
        return true;
    }
    if (what.masked) masks_.setLanes(m.mask);
    if ((whole || narrowsAtOnce(what)) && 2 * bytes == RegisterCache::kSlotBytes &&
        m.dst % RegisterCache::kSlotBytes == 0 && vectors % 2 == 0) {
        storeHalves(m, what);
        return true;
    }
    if (whole && to == 1 && from == 4 && vectors == 2 && m.dst % RegisterCache::kSlotBytes == 0 &&
        !a_.hasFewRegisters()) {
        cache_.release();
        narrow(what, zmm4, values_.source(m.src[0], 0, what, 1));
        narrow(what, zmm0, values_.source(m.src[0], 1, what, 1));
        a_.vinserti32x4(ymm4, ymm4, xmm0, 1);
        storeLowHalf(m, what, zmm4);
        return true;
    }
    for (std::uint32_t v = 0; v < vectors; ++v) {
        cache_.release();
        narrow(what, zmm0, values_.source(m.src[0], v, what, 1));
        const std::uint32_t place = m.dst + v * bytes;
        cache_.evict(place, bytes);
        storePart(place, bytes, to, what.masked ? std::optional(masks_.lanesOf(v, perVector)) : std::nullopt);
    }
    return true;
}

/// Two vectors become one slot, in its register: a load of the slot would wait for two stores of its halves.
void Stores::storeHalves(const Step& m, const Meaning& what) {
    const std::uint32_t perSlot = RegisterCache::kSlotBytes / isa::byteSize(what.type);
    const InstId move = isa::byteSize(what.type) == 4 ? Inst::kIdVmovdqu32 : Inst::kIdVmovdqu16;
    for (std::uint32_t slot = 0; slot < m.chunks * 16u / perSlot; ++slot) {
        cache_.release();
        narrow(what, zmm4, values_.source(m.src[0], slot * 2, what, 1));
        narrow(what, zmm0, values_.source(m.src[0], slot * 2 + 1, what, 1));
        const std::uint32_t place = m.dst + slot * RegisterCache::kSlotBytes;
        if (!what.masked) {
            a_.vinserti64x4(cache_.replace(place), zmm4, ymm0, 1);
            continue;
        }
        a_.vinserti64x4(zmm0, zmm4, ymm0, 1);
        const Zmm held = cache_.update(place);
        a_.k(masks_.lanesOf(slot, perSlot)).emit(move, held, zmm0);
    }
}

void Stores::storeLowHalf(const Step& m, const Meaning& what, const Zmm& bytes) {
    const Zmm held = cache_.update(m.dst);
    if (!what.masked)
        a_.vinserti64x4(held, held, bytes.ymm(), 0);
    else if (a_.hasFewRegisters())  // there, the other half stays as it is
        a_.k(k1).vmovdqu8(held.ymm(), bytes.ymm());
    else
        a_.k(k1).vmovdqu8(held, bytes);
}

/// So many bytes of zmm0 to memory.
void Stores::storeLowest(std::uint32_t place, std::uint32_t bytes) {
    const Mem at = state(place, bytes);
    switch (bytes) {
        case 1:
        case 2:
            a_.vmovd(ecx, xmm0);
            bytes == 1 ? a_.mov(at, cl) : a_.mov(at, cx);
            break;
        case 4:
            a_.vmovd(at, xmm0);
            break;
        case 8:
            a_.vmovq(at, xmm0);
            break;
        case 16:
            a_.vmovdqu(at, xmm0);
            values_.notePart(place);
            break;
        default:
            a_.vmovdqu(at, ymm0);
    }
}

/// The low bytes of zmm0 to memory, by elements that are on.
void Stores::storePart(std::uint32_t place, std::uint32_t bytes, std::uint32_t element, std::optional<KReg> lanes) {
    const Mem at = state(place, bytes);
    if (!lanes) {
        storeLowest(place, bytes);
        return;
    }
    const InstId move = element == 1 ? Inst::kIdVmovdqu8 : element == 2 ? Inst::kIdVmovdqu16 : Inst::kIdVmovdqu32;
    KReg on = *lanes;
    if (bytes == 8) {  // lanes behind these eight bytes belong to others
        a_.kmovd(eax, on);
        a_.and_(eax, (1 << bytes / element) - 1);
        a_.kmovd(k3, eax);
        on = k3;
    }
    if (bytes < 32 && element * 16 > bytes && bytes != 8) {
        a_.kmovd(eax, on);
        a_.and_(eax, (1 << bytes / element) - 1);
        a_.kmovd(k3, eax);
        on = k3;
    }
    a_.k(on);
    bytes == 32 ? a_.emit(move, at, ymm0) : a_.emit(move, state(place, 16), xmm0);
}

/// The lowest byte of every lane of 32 bits, two bytes apart.
bool Stores::storeEverySecondByte(const Step& m, const Meaning& what) {
    constexpr std::uint32_t kLanes = 16;
    constexpr std::uint32_t kBytes = 2 * kLanes;
    if (what.masked) masks_.setLanes(m.mask);
    if (m.chunks == 2 && isWholeNumber(what.lanes) && m.dst % RegisterCache::kSlotBytes == 0) {
        storeEverySecondByteOfSlot(m, what);
        return true;
    }
    for (std::uint32_t v = 0; v < m.chunks; ++v) {
        cache_.release();
        a_.vpmovdw(ymm0, inType(what, values_.source(m.src[0], v, what, 1)).as<Zmm>());
        elementsOn(m, what, v, kLanes);
        a_.kmovd(k3, eax);
        const std::uint32_t place = m.dst + v * kBytes;
        cache_.evict(place, kBytes);
        a_.vmovdqu(ymm3, state(place, kBytes));
        a_.k(k3).vmovdqu8(ymm3, ymm0);
        a_.vmovdqu(state(place, kBytes), ymm3);  // whole: loads would wait for a masked store
    }
    return true;
}

void Stores::storeEverySecondByteOfSlot(const Step& m, const Meaning& what) {
    cache_.release();
    a_.vpmovdw(ymm4, values_.source(m.src[0], 0, what, 1).as<Zmm>());
    a_.vpmovdw(ymm0, values_.source(m.src[0], 1, what, 1).as<Zmm>());
    a_.vinserti64x4(zmm0, zmm4, ymm0, 1);
    storeLowBytes(m, what, zmm0);
}

/// The elements that the lanes of a vector which are on write at the step's stride, a bit each, in rax.
void Stores::elementsOn(const Step& m, const Meaning& what, std::uint32_t vector, std::uint32_t perVector) {
    const std::uint64_t lanesHere = (1ull << perVector) - 1;
    if (!what.masked) {
        a_.mov(rax, spread(m.mask.lanes >> vector * perVector & lanesHere, m.stride));
        return;
    }
    a_.kmovd(eax, k1);
    if (vector != 0) a_.shr(eax, vector * perVector);
    if (perVector == 16)
        a_.movzx(eax, ax);
    else if (perVector < 16)
        a_.and_(eax, static_cast<std::int32_t>(lanesHere));
    a_.mov(rcx, everyElement(m.stride));
    a_.pdep(rax, rax, rcx);
}

/// Stores a vector whose elements are parts of the lanes of one slot, of 4 or 8 bytes each, at the same offset in each.
/// The slot stays in its register: stores across the boundaries of slots make loads of them wait.
void Stores::storeWithin(const Step& m, const Meaning& what, const Elements& e) {
    const std::uint32_t perVector = RegisterCache::kSlotBytes / e.spacing;
    const std::uint32_t all = (1u << perVector) - 1;
    const std::uint32_t on = m.mask.lanes >> e.vector * perVector & all;
    if (!what.masked && on == 0) return;
    const std::uint32_t place = m.dst + e.vector * RegisterCache::kSlotBytes;
    const std::uint32_t begin = place % RegisterCache::kSlotBytes * 8;  // bits of a lane
    const std::uint32_t end = begin + isa::byteSize(what.type) * 8;
    const std::uint64_t taken = (~0ull >> (64 - (end - begin))) << begin;
    Numbers kept{};
    for (std::uint32_t i = 0; i < kept.size(); ++i)
        kept[i] = static_cast<std::uint32_t>(~taken >> (e.spacing == 8 && i % 2 != 0 ? 32 : 0));
    Vec value = e.value;
    const bool wide = e.spacing == 8;
    if (begin != 0) {
        a_.emit(wide ? Inst::kIdVpsllq : Inst::kIdVpslld, zmm0, value, Imm(begin));
        value = zmm0;
    }
    const bool adds = e.zeroAbove || end == e.spacing * 8;
    const Zmm slot = cache_.update(place - begin / 8);
    if (what.masked) {
        a_.k(masks_.lanesOf(e.vector, perVector));
    } else if (on != all) {
        a_.mov(eax, on);
        a_.kmovd(k3, eax);
        a_.k(k3);
    }
    a_.emit(wide ? Inst::kIdVpternlogq : Inst::kIdVpternlogd, slot, value, numbers_.of(kept),
            Imm(adds ? kKeepWith : kKeepElsewhere));
}

/// Elements at a distance: the lowest part of every lane, or of every second one.
bool Stores::storeStrided(const Step& m, const Meaning& what, Gaps gaps) {
    const std::uint32_t from = isa::byteSize(what.lanes);
    const std::uint32_t to = isa::byteSize(what.type);
    const std::uint32_t spacing = to * m.stride;
    const bool bitsOnly = isWholeNumber(what.lanes) && isWholeNumber(what.type);
    if (m.stride > 4 || (!bitsOnly && !convertsInPlace(what))) return false;
    if (spacing == 2 && from == 4) return storeEverySecondByte(m, what);
    if (to > from || (spacing != from && !(from == 4 && (spacing == 8 || spacing == 16)))) return false;
    if (what.masked) masks_.setLanes(m.mask);
    const std::uint32_t perVector = RegisterCache::kSlotBytes / spacing;
    const std::uint32_t parts = spacing / from;
    for (std::uint32_t v = 0; v < m.chunks * 16u / perVector; ++v) {
        cache_.release();
        Vec value = inType(what, values_.source(m.src[0], v / parts, what, 1));
        if (parts == 2) {
            value = halfOf(value, v % 2);
            const bool all = !what.masked && (m.mask.lanes >> v * perVector & 0xff) == 0xff;
            if (gaps == Gaps::free && all && to == 4 && m.dst % RegisterCache::kSlotBytes == 0) {
                const std::uint32_t slot = m.dst + v * RegisterCache::kSlotBytes;
                a_.emit(Inst::kIdVpmovzxdq, cache_.replace(slot), value);
                cache_.holdExtended(slot);
                continue;
            }
            a_.emit(Inst::kIdVpmovzxdq, zmm0, value);
            value = zmm0;
        } else if (parts == 4) {
            value = quarterOf(value, v % parts);
        }
        storeApart(m, what, {.value = value, .vector = v, .spacing = spacing, .zeroAbove = parts == 2 && to == 4});
    }
    return true;
}

/// The first or the second eight of sixteen lanes.
Vec Stores::halfOf(Vec value, std::uint32_t number) {
    if (number == 0) return value.as<Zmm>().ymm();
    a_.emit(Inst::kIdVextracti64x4, ymm5, value, Imm(1));
    return ymm5;
}
/// Four of sixteen lanes, each in the low part of sixteen bytes.
Vec Stores::quarterOf(Vec value, std::uint32_t number) {
    constexpr std::uint32_t kLanes = 4;
    Numbers lanes{};
    for (std::uint32_t i = 0; i < kLanes; ++i) lanes[i * 4] = number * kLanes + i;
    a_.vmovdqu64(zmm5, numbers_.of(lanes));
    a_.emit(Inst::kIdVpermd, zmm0, zmm5, value);
    return zmm0;
}

/// Stores the elements that are on.
void Stores::storeApart(const Step& m, const Meaning& what, const Elements& e) {
    const std::uint32_t bytes = isa::byteSize(what.type);
    const std::uint32_t place = m.dst + e.vector * RegisterCache::kSlotBytes;
    if (e.spacing <= 8 && place % RegisterCache::kSlotBytes + bytes <= e.spacing) return storeWithin(m, what, e);
    const InstId move = bytes == 1   ? Inst::kIdVmovdqu8
                        : bytes == 2 ? Inst::kIdVmovdqu16
                        : bytes == 4 ? Inst::kIdVmovdqu32
                                     : Inst::kIdVmovdqu64;
    elementsOn(m, what, e.vector, RegisterCache::kSlotBytes / e.spacing);
    a_.kmovq(k3, rax);
    if (place % RegisterCache::kSlotBytes == 0) {
        const Zmm slot = cache_.update(place);
        a_.k(k3).emit(move, slot, e.value);
        return;
    }
    cache_.evict(place, RegisterCache::kSlotBytes);
    a_.k(k3).emit(move, state(place, 64), e.value);
}

/// The low bytes of words to every second byte of a slot.
void Stores::storeLowBytes(const Step& m, const Meaning& what, const Zmm& words) {
    Numbers kept;
    kept.fill(0xff00ff00);
    const Zmm held = cache_.update(m.dst);
    if (!what.masked && m.mask.lanes == ~0u) {
        a_.vpternlogd(held, words, numbers_.of(kept), kKeepElsewhere);
        return;
    }
    a_.vmovdqa64(zmm5, held);
    a_.vpternlogd(zmm5, words, numbers_.of(kept), kKeepElsewhere);
    if (what.masked) {
        a_.k(k1).vmovdqu16(held, zmm5);
        return;
    }
    a_.mov(eax, m.mask.lanes);
    a_.kmovd(k3, eax);
    a_.k(k3).vmovdqu16(held, zmm5);
}

}  // namespace zetl::emulator::translate
