// tidy: without the analyzer, which follows asmjit into shifts that its callers exclude
// Threads of a group whose addresses are a number and a dword of each lane: the dwords are used in their places, and
// the host adds the number when it gathers and scatters.
#include "emulator/translate/group/offsets.h"

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

bool OffsetSteps::emit(const PlannedStep& step) {
    const Step& m = step.m;
    const Meaning& what = step.what;
    if (what.family == Family::laneAccess) return access(step);
    if (!what.wide || what.masked || !beginsSlot(m.dst)) return false;
    const auto lanes = offsetsOf(m, what);
    if (!lanes) return false;
    const std::uint32_t count = m.chunks * kOffsetChunk;
    const bool spread = what.family == Family::retire && isa::byteSize(what.type) == 4;
    const Extent e = spread ? elements(m.dst, 4, 2, count) : elements(m.dst, 8, 1, count);
    if (e.meets(elements(lanes->place, 4, 1, count)) || !held_.replace(e)) return false;
    held_.offsets.hold(e, *lanes);
    return true;
}

/// What the step makes, if it is such lanes.
std::optional<Offset> OffsetSteps::offsetsOf(const Step& m, const Meaning& what) {
    const std::uint32_t count = m.chunks * kOffsetChunk;
    const auto ofDwords = [&]() -> std::optional<Offset> {
        const Extent e = elements(m.src[0], 4, 1, count);
        const bool isThere = e.place < layout::kNull && beginsSlot(e.place) && e.end() <= layout::kNull &&
                             !held_.lanes.isHeld(e) && held_.offsets.overlapping(e).empty();
        return isThere ? std::optional(Offset{e.place, 0, {}}) : std::nullopt;
    };
    if (what.family != Family::compute && m.src[0] >= layout::kBytes) return {};
    switch (what.family) {
        case Family::retire: {
            const std::uint32_t bytes = isa::byteSize(what.type);
            if (!isWholeNumber(what.type)) return {};
            if (isDword(what.lanes) && bytes == 4 && m.stride == 2) return ofDwords();
            const bool same = isQword(what.lanes) && bytes == 8 && m.stride == 1;
            return same ? held_.offsets.find(elements(m.src[0], 8, 1, count)) : std::nullopt;
        }
        case Family::convert: {
            if (!isQword(what.lanes) || !isWholeNumber(what.type)) return {};
            const std::uint32_t bytes = isa::byteSize(what.type);
            if (bytes == 8 && what.stride == 1) return held_.offsets.find(elements(m.src[0], 8, 1, count));
            if (bytes != 4 || what.stride == 0 || what.stride > 2) return {};
            auto lanes = what.stride == 1 ? ofDwords() : held_.offsets.find(elements(m.src[0], 4, 2, count));
            if (lanes) lanes->isSigned = isa::isSigned(what.type);
            return lanes;
        }
        case Family::compute:
            return isQword(what.lanes) ? offsetsOfSum(m, what) : std::nullopt;
        default:
            return {};
    }
}
std::optional<Offset> OffsetSteps::offsetsOfSum(const Step& m, const Meaning& what) {
    const std::uint32_t count = m.chunks * kOffsetChunk;
    const auto lanesOf = [&](std::uint32_t i) {
        return m.src[i] < layout::kBytes ? held_.offsets.find(elements(m.src[i], 8, 1, count)) : std::nullopt;
    };
    const auto numberOf = [&](std::uint32_t i) {
        return m.src[i] < layout::kBytes ? held_.lanes.find(elements(m.src[i], 8, 1, count))
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
                const auto base = held_.lanes.sum(lanes->base, *number, 8);
                if (!base) return {};
                lanes->base = *base;
                return lanes;
            }
            return {};
        default:
            return {};
    }
}

/// A load or store whose addresses are such lanes: at once if they run on, else by the host's own addition.
bool OffsetSteps::access(const PlannedStep& step) {
    const Step& m = step.m;
    const Meaning& what = step.what;
    const auto access = LaneAccess::of(m);
    const std::uint32_t bytes = elementBytes(what.laneForm());
    const std::uint32_t count = m.chunks * kOffsetChunk;
    if (access.components != 1 || bytes < 4) return false;
    const auto lanes = held_.offsets.find(elements(access.addresses, 8, 1, count));
    if (!lanes || !beginsSlot(lanes->place)) return false;
    const Extent data = elements(access.registers, bytes, 1, count);
    if (!what.laneForm().write && data.meets(elements(lanes->place, 4, 1, count))) return false;
    if (!(what.laneForm().write ? held_.spill(data) : held_.replace(data))) return false;
    if (!held_.lanes.load(rcx, lanes->base, 0, 8)) return false;
    OffsetVectors v{{}, m.chunks, {}, lanes->shift};
    for (std::uint32_t i = 0; i < m.chunks; ++i) v.dwords[i] = cache_.read(lanes->place + i * kOffsetSlot);
    for (std::uint32_t at = 0; at < count * bytes; at += kOffsetSlot)
        v.data.push_back(what.laneForm().write ? cache_.read(access.registers + at)
                                               : cache_.replace(access.registers + at));
    a_.sub(rcx, *access_.areaOf(what.laneForm().space, what.laneForm().write, m).begin);
    if (1u << v.shift != bytes) {
        move(m, what, v, otherwise_);
        return true;
    }
    const Label apart = host_.seldomLabel();
    const Label done = a_.newLabel();
    unlessRunning(v, apart);
    a_.vmovd(eax, v.dwords[0].xmm());
    a_.cmp(eax, Imm(kHighest - (count - 1)));
    a_.ja(otherwise_);
    a_.lea(rcx, ptr(rcx, rax, v.shift));
    a_.cmp(rcx, messages_.limitOf(m, what));
    a_.ja(otherwise_);
    a_.add(rcx, access_.areaOf(what.laneForm().space, what.laneForm().write, m).host);
    a_.forgetIntermediates();
    messages_.expect(count * bytes, step.leads);
    if (step.leads) access_.fetchAhead(count * bytes, false);
    messages_.moveRun(m, what, v.data);
    a_.forgetTemporaries();
    a_.bind(done);
    host_.seldom([this, &m, &what, v, apart, done, otherwise = otherwise_] {
        a_.bind(apart);
        move(m, what, v, otherwise);
        a_.forgetTemporaries();
        a_.jmp(done);
    });
    return true;
}

void OffsetSteps::unlessRunning(const OffsetVectors& v, const Label& otherwise) {
    constexpr std::uint8_t kDifferent = 4;
    const Zmm distance = access_.shortDistances(1);
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
        a_.forgetTestedMasks();
        a_.jnz(otherwise);
    }
}

/// The number less the allocation's first address in rcx. Dwords that are negative, or too high for the host, are
/// refused, as are those of elements that end beyond the allocation.
void OffsetSteps::move(const Step& m, const Meaning& what, const OffsetVectors& v, const Label& refused) {
    constexpr std::uint8_t kMore = 6;
    const std::uint32_t bytes = elementBytes(what.laneForm());
    const Area area = access_.areaOf(what.laneForm().space, what.laneForm().write, m);
    a_.mov(r11, messages_.limitOf(m, what));
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
    a_.forgetTestedMasks();
    a_.jnz(refused);
    a_.add(rcx, area.host);
    a_.kxnorw(k5, k5, k5);
    for (std::size_t i = 0; i < v.data.size(); ++i) {
        a_.kmovw(k3, k5);
        const Zmm& data = v.data[i];
        if (bytes == 4) {
            const Mem lanes = ptr(rcx, v.dwords[i], v.shift);
            if (what.laneForm().write) {
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
        if (what.laneForm().write) {
            a_.k(k3).vpscatterdq(lanes, data);
        } else {
            a_.vpxord(data, data, data);
            a_.k(k3).vpgatherdq(data, lanes);
        }
    }
}

}  // namespace zetl::emulator::translate
