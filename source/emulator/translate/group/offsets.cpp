// Threads of a group whose addresses are a number and a dword of each lane: the dwords are used in their places, and
// the host adds the number when it gathers and scatters.
#include "emulator/translate/group/linear_loop.h"
#include "isa/xe/lsc_descriptor.h"

namespace zetl::emulator::translate {

using namespace asmjit::x86;
using asmjit::Imm;
using isa::LaneAccess;
using isa::LaneType;
using isa::Opcode;
namespace layout = isa::layout;

namespace {

constexpr std::uint32_t kOffsetSlot = RegisterCache::kSlotBytes;
constexpr std::uint32_t kOffsetChunk = 16;
constexpr std::uint32_t kHighest = 0x7fffffff;  // of dwords, with a sign or without

bool isDword(LaneType type) { return type == LaneType::u32 || type == LaneType::i32; }
bool isQword(LaneType type) { return type == LaneType::u64 || type == LaneType::i64; }
bool beginsSlot(std::uint64_t place) { return place % kOffsetSlot == 0; }

}  // namespace

bool Emitter::offsetStep(LinearLoop& loop, const Step& m, const Meaning& what) {
    if (what.family == Family::laneAccess) return offsetAccess(loop, m, what);
    if (!what.wide || what.masked || !beginsSlot(m.dst)) return false;
    const auto lanes = offsetsOf(loop, m, what);
    if (!lanes) return false;
    const std::uint32_t count = m.chunks * kOffsetChunk;
    const bool spread = what.family == Family::retire && isa::byteSize(what.type) == 4;
    const Extent e = spread ? elements(m.dst, 4, 2, count) : elements(m.dst, 8, 1, count);
    if (e.meets(elements(lanes->place, 4, 1, count)) || !replaceLinear(loop, e)) return false;
    loop.offsets.hold(e, *lanes);
    return true;
}

/// What the step makes, if it is such lanes.
std::optional<Offset> Emitter::offsetsOf(LinearLoop& loop, const Step& m, const Meaning& what) {
    const std::uint32_t count = m.chunks * kOffsetChunk;
    const auto ofDwords = [&]() -> std::optional<Offset> {
        const Extent e = elements(m.src[0], 4, 1, count);
        const bool isThere = e.place < layout::kNull && beginsSlot(e.place) && e.end() <= layout::kNull &&
                             !loop.lanes.isHeld(e) && loop.offsets.overlapping(e).empty();
        return isThere ? std::optional(Offset{e.place, 0, {}}) : std::nullopt;
    };
    if (what.family != Family::compute && m.src[0] >= layout::kBytes) return {};
    switch (what.family) {
        case Family::retire: {
            const std::uint32_t bytes = isa::byteSize(what.type);
            if (!isWholeNumber(what.type)) return {};
            if (isDword(what.lanes) && bytes == 4 && m.stride == 2) return ofDwords();
            const bool same = isQword(what.lanes) && bytes == 8 && m.stride == 1;
            return same ? loop.offsets.find(elements(m.src[0], 8, 1, count)) : std::nullopt;
        }
        case Family::convert: {
            if (!isQword(what.lanes) || !isWholeNumber(what.type)) return {};
            const std::uint32_t bytes = isa::byteSize(what.type);
            if (bytes == 8 && what.stride == 1) return loop.offsets.find(elements(m.src[0], 8, 1, count));
            if (bytes != 4 || what.stride == 0 || what.stride > 2) return {};
            auto lanes = what.stride == 1 ? ofDwords() : loop.offsets.find(elements(m.src[0], 4, 2, count));
            if (lanes) lanes->isSigned = isa::isSigned(what.type);
            return lanes;
        }
        case Family::compute:
            return isQword(what.lanes) ? offsetsOfSum(loop, m, what) : std::nullopt;
        default:
            return {};
    }
}
std::optional<Offset> Emitter::offsetsOfSum(LinearLoop& loop, const Step& m, const Meaning& what) {
    const std::uint32_t count = m.chunks * kOffsetChunk;
    const auto lanesOf = [&](std::uint32_t i) {
        return m.src[i] < layout::kBytes ? loop.offsets.find(elements(m.src[i], 8, 1, count)) : std::nullopt;
    };
    const auto numberOf = [&](std::uint32_t i) {
        return m.src[i] < layout::kBytes ? loop.lanes.find(elements(m.src[i], 8, 1, count))
                                         : constantAt(m.src[i], 8, count);
    };
    switch (static_cast<Opcode>(what.row)) {
        case Opcode::shl: {
            auto lanes = lanesOf(0);
            const auto by = lanes ? numberOf(1) : std::nullopt;
            const bool known = by && by->scalar == Linear::kNone && by->step == 0;
            if (!known || lanes->base != Linear{} || by->offset < 0 || by->offset > Offset::kMostShift) return {};
            lanes->shift += static_cast<std::uint32_t>(by->offset);
            return lanes->shift <= Offset::kMostShift ? lanes : std::nullopt;
        }
        case Opcode::add:
            for (std::uint32_t i = 0; i < 2; ++i) {
                auto lanes = lanesOf(i);
                const auto number = lanes ? numberOf(1 - i) : std::nullopt;
                if (!number || number->step != 0) continue;
                const auto base = loop.lanes.sum(lanes->base, *number, 8);
                if (!base) return {};
                lanes->base = *base;
                return lanes;
            }
            return {};
        default:
            return {};
    }
}

/// Stores them in their places.
bool Emitter::spillOffsets(LinearLoop& loop, const OffsetLanes::Held& held) {
    const auto& [e, lanes] = held;
    constexpr std::uint32_t kLanesOfSlot = 8;
    for (std::uint32_t v = 0; v * kLanesOfSlot < e.count; ++v) {
        cache_.release();
        const Zmm dwords = cache_.read(lanes.place + v / 2 * kOffsetSlot);
        if (v % 2 != 0) a_.vextracti64x4(ymm5, dwords, 1);
        const Ymm half = v % 2 != 0 ? ymm5 : dwords.ymm();
        lanes.isSigned ? a_.vpmovsxdq(zmm0, half) : a_.vpmovzxdq(zmm0, half);
        const std::uint32_t place = e.place + v * kOffsetSlot;
        if (e.bytes == 4) {
            a_.mov(r11d, 0x5555);
            a_.kmovd(k3, r11d);
            const Zmm slot = cache_.update(place);
            a_.k(k3).vmovdqu32(slot, zmm0);
            continue;
        }
        if (lanes.shift != 0) a_.vpsllq(zmm0, zmm0, Imm(lanes.shift));
        if (!loop.lanes.load(r11, lanes.base, 0, 8)) return false;
        a_.vpbroadcastq(zmm1, r11);
        a_.vpaddq(cache_.replace(place), zmm0, zmm1);
    }
    loop.offsets.forget(held);
    return true;
}

/// A load or store whose addresses are such lanes: at once if they run on, else by the host's own addition.
bool Emitter::offsetAccess(LinearLoop& loop, const Step& m, const Meaning& what) {
    const auto access = LaneAccess::of(m);
    const std::uint32_t bytes = elementBytes(what.form);
    const std::uint32_t count = m.chunks * kOffsetChunk;
    if (access.components != 1 || bytes < 4) return false;
    const auto lanes = loop.offsets.find(elements(access.addresses, 8, 1, count));
    if (!lanes || !beginsSlot(lanes->place)) return false;
    const Extent data = elements(access.registers, bytes, 1, count);
    if (!what.form.write && data.meets(elements(lanes->place, 4, 1, count))) return false;
    if (!(what.form.write ? spill(loop, data) : replaceLinear(loop, data))) return false;
    if (!loop.lanes.load(rcx, lanes->base, 0, 8)) return false;
    OffsetVectors v{{}, m.chunks, {}, lanes->shift};
    for (std::uint32_t i = 0; i < m.chunks; ++i) v.dwords[i] = cache_.read(lanes->place + i * kOffsetSlot);
    for (std::uint32_t at = 0; at < count * bytes; at += kOffsetSlot)
        v.data.push_back(what.form.write ? cache_.read(access.registers + at) : cache_.replace(access.registers + at));
    a_.sub(rcx, *areaOf(what.form.space, what.form.write, m).begin);
    if (1u << v.shift != bytes) {
        moveByOffsets(m, what, v, loop.otherwise);
        return true;
    }
    const Label apart = seldomLabel();
    const Label done = a_.newLabel();
    unlessOffsetsRun(v, apart);
    a_.vmovd(eax, v.dwords[0].xmm());
    a_.cmp(eax, Imm(kHighest - (count - 1)));
    a_.ja(loop.otherwise);
    a_.lea(rcx, ptr(rcx, rax, v.shift));
    a_.cmp(rcx, limitOf(m, what));
    a_.ja(loop.otherwise);
    a_.add(rcx, areaOf(what.form.space, what.form.write, m).host);
    expectRun(count * bytes);
    moveRun(m, what, v.data);
    a_.bind(done);
    seldom([this, &m, &what, v, apart, done, otherwise = loop.otherwise] {
        a_.bind(apart);
        moveByOffsets(m, what, v, otherwise);
        a_.jmp(done);
    });
    return true;
}

void Emitter::unlessOffsetsRun(const OffsetVectors& v, const Label& otherwise) {
    constexpr std::uint8_t kDifferent = 4;
    const Zmm distance = shortDistances(1);
    for (std::uint32_t i = 0; i < v.chunks; ++i) {
        if (i == 0) {
            a_.vpbroadcastd(zmm0, v.dwords[0].xmm());
        } else {
            a_.vmovd(eax, v.dwords[0].xmm());
            a_.add(eax, static_cast<std::int32_t>(i * kOffsetChunk));
            a_.vpbroadcastd(zmm0, eax);
        }
        a_.vpsubd(zmm1, v.dwords[i], distance);
        a_.vpcmpud(k3, zmm1, zmm0, kDifferent);
        a_.kortestw(k3, k3);
        a_.jnz(otherwise);
    }
}

/// The number less the allocation's first address in rcx. Dwords that are negative, or too high for the host, are
/// refused, as are those of elements that end beyond the allocation.
void Emitter::moveByOffsets(const Step& m, const Meaning& what, const OffsetVectors& v, const Label& refused) {
    constexpr std::uint8_t kMore = 6;
    const std::uint32_t bytes = elementBytes(what.form);
    const Area area = areaOf(what.form.space, what.form.write, m);
    a_.mov(r11, limitOf(m, what));
    a_.add(r11, static_cast<std::int32_t>((m.chunks * kOffsetChunk - 1) * bytes));
    a_.sub(r11, rcx);
    a_.jb(refused);
    if (v.shift != 0) a_.shr(r11, v.shift);
    a_.mov(eax, kHighest);
    a_.cmp(r11, rax);
    a_.cmova(r11, rax);
    a_.vpbroadcastd(zmm0, r11d);
    Zmm most = v.dwords[0];
    if (v.chunks == 2) {
        a_.vpmaxud(zmm1, v.dwords[0], v.dwords[1]);
        most = zmm1;
    }
    a_.vpcmpud(k3, most, zmm0, kMore);
    a_.kortestw(k3, k3);
    a_.jnz(refused);
    a_.add(rcx, area.host);
    a_.kxnorw(k5, k5, k5);
    for (std::size_t i = 0; i < v.data.size(); ++i) {
        a_.kmovw(k3, k5);
        const Zmm& data = v.data[i];
        if (bytes == 4) {
            const Mem lanes = ptr(rcx, v.dwords[i], v.shift);
            if (what.form.write) {
                a_.k(k3).vpscatterdd(lanes, data);
            } else {
                a_.vpxord(data, data, data);
                a_.k(k3).vpgatherdd(data, lanes);
            }
            continue;
        }
        const Zmm& dwords = v.dwords[i / 2];
        if (i % 2 != 0) a_.vextracti64x4(ymm5, dwords, 1);
        const Ymm half = i % 2 != 0 ? ymm5 : dwords.ymm();
        const Mem lanes = ptr(rcx, half, v.shift);
        if (what.form.write) {
            a_.k(k3).vpscatterdq(lanes, data);
        } else {
            a_.vpxord(data, data, data);
            a_.k(k3).vpgatherdq(data, lanes);
        }
    }
}

}  // namespace zetl::emulator::translate
