// Threads of a group whose work-items' ids run on: addresses are one number each, and so is all that leads to them. A
// thread in which they do not is done by the loop that takes any.
#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <utility>

#include "emulator/translate/group/linear_loop.h"
#include "isa/xe/lsc_descriptor.h"

namespace zetl::emulator::translate {

using namespace asmjit::x86;
using asmjit::Imm;
using asmjit::InstId;
using isa::BlockAccess;
using isa::LaneAccess;
using isa::LaneType;
using isa::MemorySpace;
using isa::Opcode;
namespace layout = isa::layout;

namespace {

constexpr std::uint32_t kSlot = RegisterCache::kSlotBytes;
constexpr std::uint32_t kIdBytes = 2;  // of a work-item's id, as threads are given them

// sel.lt and sel.ge.
constexpr std::uint16_t kGreaterRow = isa::kSelRows + 4;
constexpr std::uint16_t kLesserRow = isa::kSelRows + 5;

std::uint32_t laneCount(const isa::Step& m, const Meaning& what) { return what.wide ? m.chunks * 16u : 1; }
bool hasSign(LaneType lanes) { return lanes == LaneType::i32 || lanes == LaneType::i64; }

}  // namespace

std::optional<Linear> constantAt(std::uint64_t where, std::uint32_t bytes, std::uint32_t count) {
    const auto* const lanes = reinterpret_cast<const std::byte*>(where);
    if (std::memcmp(lanes, lanes + bytes, (count - 1) * bytes) != 0) return {};
    std::int64_t value = 0;
    std::memcpy(&value, lanes, bytes);
    return Linear{.offset = bytes == 4 ? static_cast<std::int32_t>(value) : value};
}

/// Emits the loop for threads from r12d to before the end; threads that it does not do go on at `otherwise`. Returns
/// false if nothing is gained, and the loop must not be entered.
bool Emitter::emitLinear(const GroupPlan& plan, const Label& otherwise) {
    constexpr std::uint32_t kThreadIndex = layout::kGrf + 8;  // r0.2
    LinearLoop loop(LinearLanes(a_, rbx, plan.changed, otherwise), otherwise);
    groupRefused_ = otherwise;
    const Label thread = a_.newLabel();
    expected_ = 0;
    forgetLanes();
    a_.beginsBlock(thread);
    a_.align(asmjit::AlignMode::kCode, 64);
    a_.bind(thread);
    Gp index;
    const auto first = loop.lanes.fresh(index, 32);
    a_.mov(index.r32(), r12d);
    a_.or_(index.r32(), groupIndexBits());
    loop.lanes.hold(elements(kThreadIndex, 4, 1, 1), *first);
    for (const auto& line : plan.always) {
        loop.line = &line;
        for (std::size_t i = 0; i < line.steps.size(); ++i) {
            beginPlanned(line, i);
            loop.lanes.beginStep();
            if (line.meanings[i] != nullptr && !linearStep(loop, line.steps[i], *line.meanings[i]) &&
                !offsetStep(loop, line.steps[i], *line.meanings[i]) &&
                !vectorStep(loop, line.steps[i], *line.meanings[i]))
                return false;
            loop.lanes.alsoNeeded(loop.offsets.numbers());
            a_.forgetTemporaries();
        }
        endPlanned();
        isa::StateSlots needed = line.read;
        loop.offsets.keepOnly(needed);
        loop.offsets.addDwords(needed);
        cache_.keepOnly(needed);
        loop.lanes.keepOnly(needed);
    }
    cache_.forgetAll();
    a_.inc(r12d);
    a_.cmp(r12d, groupEnd());
    a_.jb(thread);
    a_.jmp(groupDone_);
    return loop.runs;
}

/// As everywhere else, on vectors.
bool Emitter::vectorStep(LinearLoop& loop, const Step& m, const Meaning& what) {
    const auto extents = extentsOf(m, what);
    if (!extents) return false;
    for (const Extent& read : extents->reads)
        if (!spill(loop, read)) return false;
    return (!extents->write || replaceLinear(loop, *extents->write)) && emitKnown(m, what);
}

/// Stores the lanes held for these bytes in their places.
bool Emitter::spill(LinearLoop& loop, const Extent& e) {
    for (const LinearLanes::Held& held : loop.lanes.overlapping(e)) {
        if (!held.home && !spillOne(loop, held)) return false;
        loop.lanes.forget(held.extent);
    }
    for (const OffsetLanes::Held& held : loop.offsets.overlapping(e))
        if (!spillOffsets(loop, held)) return false;
    return true;
}
bool Emitter::spillOne(LinearLoop& loop, const LinearLanes::Held& held) {
    const Extent& e = held.extent;
    if (e.count == 1) {
        if (!loop.lanes.load(r11, held.lanes, 0, e.bytes == 8 ? 8 : 4)) return false;
        cache_.evict(e.place, e.bytes);
        const Mem at = state(e.place, e.bytes);
        e.bytes == 8   ? a_.mov(at, r11)
        : e.bytes == 4 ? a_.mov(at, r11d)
        : e.bytes == 2 ? a_.mov(at, r11w)
                       : a_.mov(at, r11b);
        return true;
    }
    const bool apart = e.spacing != e.bytes;
    const std::uint32_t perSlot = kSlot / e.spacing;
    const std::uint32_t width = apart ? 8 : e.bytes;
    for (std::uint32_t lane = 0; lane < e.count; lane += perSlot) {
        cache_.release();
        if (lane == 0 || held.lanes.step != 0) {
            if (!loop.lanes.load(r11, held.lanes, lane, e.bytes)) return false;
            width == 8 ? a_.vpbroadcastq(zmm0, r11) : a_.vpbroadcastd(zmm0, r11d);
        }
        const std::uint32_t place = e.place + lane * e.spacing;
        if (apart) {
            if (held.lanes.step != 0) addSteps(zmm0, held.lanes.step, width);
            a_.mov(r11d, 0x5555);
            a_.kmovd(k3, r11d);
            const Zmm slot = cache_.update(place);
            a_.k(k3).vmovdqu32(slot, zmm0);
        } else if (held.lanes.step != 0) {
            addSteps(cache_.replace(place), held.lanes.step, width);
        } else {
            a_.vmovdqa64(cache_.replace(place), zmm0);
        }
    }
    return true;
}

bool Emitter::linearStep(LinearLoop& loop, const Step& m, const Meaning& what) {
    switch (what.family) {
        case Family::convert:
            return linearConvert(loop, m, what);
        case Family::compute:
            return linearCompute(loop, m, what);
        case Family::retire:
            return linearRetire(loop, m, what);
        case Family::block:
            return linearBlock(loop, m);
        case Family::laneAccess:
            return linearAccess(loop, m, what);
        case Family::compare:
            return linearGuard(loop, m, what);
        case Family::pick:
            return picked_ && linearMove(loop, m.src[*picked_], m, what);
        default:
            return false;
    }
}

/// Holds lanes as linear ones from now on, unless their place does not allow it. `elsewhere`: vectors will be read from
/// there.
bool Emitter::holdLinear(LinearLoop& loop, const Extent& e, const std::optional<Linear>& lanes, bool elsewhere) {
    if (!lanes || !LinearLanes::canHold(e) || !replaceLinear(loop, e)) return false;
    loop.lanes.hold(e, *lanes, elsewhere);
    return true;
}
/// Replaces the lanes held for these bytes; other lanes that overlap them are stored in their places.
bool Emitter::replaceLinear(LinearLoop& loop, const Extent& e) {
    for (const LinearLanes::Held& held : loop.lanes.overlapping(e)) {
        bool covered = true;
        held.extent.eachByte([&](std::uint32_t at) {
            const std::uint32_t from = at - e.place;
            covered = covered && at >= e.place && at < e.end() && from % e.spacing < e.bytes;
        });
        if (!covered && !held.home && !spillOne(loop, held)) return false;
        loop.lanes.forget(held.extent);
    }
    for (const OffsetLanes::Held& held : loop.offsets.overlapping(e)) {
        const bool covered = e.place <= held.extent.place && held.extent.end() <= e.end() && e.spacing == e.bytes;
        if (covered)
            loop.offsets.forget(held);
        else if (!spillOffsets(loop, held))
            return false;
    }
    for (const OffsetLanes::Held& held : loop.offsets.madeOf(e))
        if (!spillOffsets(loop, held)) return false;
    std::erase_if(loop.ids, [&](const auto& id) { return id.first < e.end() && e.place < id.first + kSlot; });
    return true;
}

bool Emitter::linearConvert(LinearLoop& loop, const Step& m, const Meaning& what) {
    if (m.src[0] >= layout::kBytes || !isWholeNumber(what.type) || isa::isReal(what.lanes)) return false;
    const std::uint32_t count = laneCount(m, what);
    const std::uint32_t bytes = isa::byteSize(what.lanes);
    const std::uint32_t from = isa::byteSize(what.type);
    const bool same = count == 1 || what.stride == 0;
    const Extent e = elements(m.src[0], from, same ? 1 : what.stride, same ? 1 : count);
    takeIds(loop, e);
    const auto found = loop.lanes.find(e);
    const auto lanes = found ? loop.lanes.extended(*found, e, bytes, isa::isSigned(what.type)) : std::nullopt;
    const bool shares = what.wide && same && from == bytes && !loop.lanes.isHeld(e) && mayShare(m, bytes);
    if (!holdLinear(loop, elements(m.dst, bytes, 1, count), lanes, shares)) return false;
    if (shares) shared_.push_back({m.dst, count * bytes / kSlot, e.place, bytes});
    return true;
}

std::optional<Linear> Emitter::linearOperand(LinearLoop& loop, std::uint64_t place, std::uint32_t bytes,
                                             std::uint32_t count) {
    return place >= layout::kBytes ? constantAt(place, bytes, count)
                                   : loop.lanes.find(elements(place, bytes, 1, count));
}

bool Emitter::linearCompute(LinearLoop& loop, const Step& m, const Meaning& what) {
    constexpr std::uint32_t kMost = 3;
    if (what.masked || isa::isReal(what.lanes)) return false;
    if (what.row == kLesserRow || what.row == kGreaterRow) return linearSelect(loop, m, what);
    const std::uint32_t count = laneCount(m, what);
    const std::uint32_t bytes = isa::byteSize(what.lanes);
    std::array<Linear, kMost> operand;
    const std::uint32_t operands = operandsOf(what);
    for (std::uint32_t i = 0; i < operands; ++i) {
        const auto value = linearOperand(loop, m.src[i], bytes, count);
        if (!value) return false;
        operand[i] = *value;
    }
    const auto& [x, y, z] = operand;
    return holdLinear(loop, elements(m.dst, bytes, 1, count), linearResult(loop.lanes, what.row, bytes, x, y, z));
}

std::optional<Linear> Emitter::linearResult(LinearLanes& lanes, std::uint16_t row, std::uint32_t bytes, const Linear& x,
                                            const Linear& y, const Linear& z) {
    const auto also = [&](const std::optional<Linear>& first, const Linear& second) {
        return first ? lanes.sum(*first, second, bytes) : std::nullopt;
    };
    const auto shift = [&](InstId id) -> std::optional<Linear> {
        if (y.scalar != Linear::kNone) return {};
        return lanes.shifted(id, x, static_cast<std::uint32_t>(y.offset) & (bytes * 8 - 1), bytes);
    };
    switch (static_cast<Opcode>(row)) {
        case Opcode::add:
            return lanes.sum(x, y, bytes);
        case Opcode::add3:
            return also(lanes.sum(x, y, bytes), z);
        case Opcode::mul:
            return lanes.product(x, y, bytes);
        case Opcode::mad:
            return also(lanes.product(y, z, bytes), x);
        case Opcode::shl:
            return shift(Inst::kIdShl);
        case Opcode::shr:
            return shift(Inst::kIdShr);
        case Opcode::asr:
            return shift(Inst::kIdSar);
        case Opcode::bitAnd:
            return lanes.combined(Inst::kIdAnd, x, y, bytes);
        case Opcode::bitOr:
            return lanes.combined(Inst::kIdOr, x, y, bytes);
        case Opcode::bitXor:
            return lanes.combined(Inst::kIdXor, x, y, bytes);
        default:
            return {};
    }
}

bool Emitter::linearRetire(LinearLoop& loop, const Step& m, const Meaning& what) {
    if (what.masked || !isWholeNumber(what.type) || isa::isReal(what.lanes) || m.src[0] >= layout::kBytes) return false;
    const std::uint32_t count = laneCount(m, what);
    const std::uint32_t bytes = isa::byteSize(what.type);
    const Extent e = elements(m.src[0], isa::byteSize(what.lanes), 1, count);
    const auto found = loop.lanes.find(e);
    const auto lanes = found ? loop.lanes.extended(*found, e, bytes, hasSign(what.lanes)) : std::nullopt;
    return holdLinear(loop, elements(m.dst, bytes, count == 1 ? 1 : m.stride, count), lanes);
}

bool Emitter::linearMove(LinearLoop& loop, std::uint64_t from, const Step& m, const Meaning& what) {
    const std::uint32_t count = laneCount(m, what);
    const std::uint32_t bytes = isa::byteSize(what.lanes);
    return holdLinear(loop, elements(m.dst, bytes, 1, count), linearOperand(loop, from, bytes, count));
}

/// A comparison that all lanes must hold, or fail.
bool Emitter::linearGuard(LinearLoop& loop, const Step& m, const Meaning& what) {
    using enum CondCode;
    // By the hardware's conditions eq ne gt ge lt le, 1 to 6.
    static constexpr std::array kSigned{kO, kE, kNE, kG, kGE, kL, kLE};
    static constexpr std::array kUnsigned{kO, kE, kNE, kA, kAE, kB, kBE};
    if (guard_ == Guard::none) return true;
    if (isa::isReal(what.lanes) || what.row >= kSigned.size()) return false;
    const std::uint32_t count = laneCount(m, what);
    const std::uint32_t bytes = isa::byteSize(what.lanes);
    const auto x = linearOperand(loop, m.src[0], bytes, count);
    const auto y = linearOperand(loop, m.src[1], bytes, count);
    const CondCode wanted = hasSign(what.lanes) ? kSigned[what.row] : kUnsigned[what.row];
    return x && y && unlessOrdered(loop, *x, *y, {guard_ == Guard::fails ? negateCond(wanted) : wanted, bytes, count});
}

/// The lesser or the greater of lanes that grow and a number: at most edges of what the kernel works on it is that
/// number.
bool Emitter::linearSelect(LinearLoop& loop, const Step& m, const Meaning& what) {
    using enum CondCode;
    const std::uint32_t count = laneCount(m, what);
    const std::uint32_t bytes = isa::byteSize(what.lanes);
    auto x = linearOperand(loop, m.src[0], bytes, count);
    auto y = linearOperand(loop, m.src[1], bytes, count);
    if (!x || !y) return false;
    if (x->step == 0) std::swap(x, y);
    const bool lesser = what.row == kLesserRow;
    const CondCode wanted = hasSign(what.lanes) ? (lesser ? kLE : kGE) : (lesser ? kBE : kAE);
    return x->step != 0 && unlessOrdered(loop, *x, *y, {wanted, bytes, count}) &&
           holdLinear(loop, elements(m.dst, bytes, 1, count), x);
}

/// Lanes that grow are on one side of a number if the last one is, or the first, and none wraps; otherwise the thread
/// goes elsewhere. Returns false if that is not enough to know.
bool Emitter::unlessOrdered(LinearLoop& loop, Linear x, Linear y, Order order) {
    using enum CondCode;
    CondCode wanted = order.wanted;
    if (y.step != 0) {
        std::swap(x, y);
        wanted = reverseCond(wanted);
    }
    constexpr std::int64_t kMostReach = std::numeric_limits<std::int32_t>::max();
    const auto lanesBehind = static_cast<std::int64_t>(order.count - 1);
    if (y.step != 0 || x.step < 0 || x.step > kMostReach / std::max<std::int64_t>(lanesBehind, 1)) return false;
    const std::int64_t reach = x.step * lanesBehind;
    const bool grows = x.step != 0;
    if (grows && (wanted == kE || wanted == kNE)) return false;
    const bool isUnsigned = wanted == kA || wanted == kAE || wanted == kB || wanted == kBE;
    const bool ofLast = wanted == kL || wanted == kLE || wanted == kB || wanted == kBE;
    const auto sized = [&](const Gp& reg) { return order.bytes == 8 ? Gp(reg.r64()) : Gp(reg.r32()); };
    if (!loop.lanes.load(sized(rdx), y, 0, order.bytes) || !loop.lanes.load(sized(rax), x, 0, order.bytes))
        return false;
    if (grows) {
        a_.mov(rcx, rax);
        a_.add(sized(rcx), Imm(reach));
        isUnsigned ? a_.jc(loop.otherwise) : a_.jo(loop.otherwise);
    }
    a_.cmp(sized(ofLast && grows ? rcx : rax), sized(rdx));
    a_.j(negateCond(wanted), loop.otherwise);
    return true;
}

/// A load of what the launch passes to threads, each its own.
bool Emitter::linearBlock(LinearLoop& loop, const Step& m) {
    constexpr std::int32_t kAlignmentMask = 3;
    const auto access = BlockAccess::of(m);
    const auto address = loop.lanes.find(elements(access.address, 4, 1, 1));
    const bool whole = access.bytes != 0 && access.bytes % kSlot == 0 && access.registers % kSlot == 0;
    if (access.space != MemorySpace::payload || access.write || access.wideAddress || !whole || !address) return false;
    if (!loop.lanes.load(eax, *address, 0, 4)) return false;
    const Extent data{access.registers, access.bytes, access.bytes, 1};
    if (!replaceLinear(loop, data)) return false;
    const Area area = areaOf(access.space, false, m);
    a_.test(eax, kAlignmentMask);
    a_.jnz(loop.otherwise);
    a_.lea(rcx, ptr(rax, static_cast<std::int32_t>(access.bytes)));
    a_.cmp(rcx, area.bytes);
    a_.ja(loop.otherwise);
    a_.add(rax, area.host);
    for (std::uint32_t at = 0; at < access.bytes; at += kSlot) {
        cache_.release();
        const std::uint32_t place = access.registers + at;
        if (!loop.line->read.contains(place)) continue;
        a_.vmovdqu32(cache_.replace(place), ptr(rax, static_cast<std::int32_t>(at), 64));
        loop.ids.emplace_back(place, loop.firstIds ? 1 : 0);
        loop.firstIds = false;
    }
    return true;
}

/// If these are ids of work-items, they are linear from now on; threads in which they are not go elsewhere. Those of
/// the first dimension are taken for running on, the others for equal.
void Emitter::takeIds(LinearLoop& loop, const Extent& e) {
    constexpr std::uint32_t kHalf = 16;
    const auto ids = std::ranges::find(loop.ids, e.place, [](const auto& id) { return id.first; });
    const bool some = e.bytes == kIdBytes && e.spacing == kIdBytes && (e.count == kHalf || e.count == 2 * kHalf);
    if (ids == loop.ids.end() || !some || loop.lanes.isHeld(e)) return;
    const std::int64_t step = ids->second;
    Gp first;
    const auto scalar = loop.lanes.fresh(first, kIdBytes * 8);
    if (!scalar) return;
    const Zmm held = cache_.read(e.place);
    a_.vmovd(r11d, held.xmm());
    a_.movzx(first.r32(), r11w);
    a_.vpbroadcastw(zmm0, held.xmm());
    if (step != 0) {
        a_.vpaddw(zmm0, zmm0, wordDistances());
        const auto last = static_cast<std::int32_t>(step) * static_cast<std::int32_t>(e.count - 1);
        a_.cmp(first.r32(), Imm(0xffff - last));
        a_.ja(loop.otherwise);
    }
    a_.vpcmpeqw(k3, zmm0, held);
    e.count == kHalf ? a_.kortestw(k3, k3) : a_.kortestd(k3, k3);
    a_.jnc(loop.otherwise);
    loop.lanes.hold(e, {.scalar = scalar->scalar, .step = step, .exact = true}, true);
}

/// A load or store whose lanes run on from the first.
bool Emitter::linearAccess(LinearLoop& loop, const Step& m, const Meaning& what) {
    const auto access = LaneAccess::of(m);
    const std::uint32_t bytes = elementBytes(what.form);
    const auto lanes = static_cast<std::uint32_t>(m.chunks * 16u);
    const std::uint32_t total = lanes * bytes * access.components;
    const auto address = loop.lanes.find(elements(access.addresses, 8, 1, lanes));
    if (!address || address->step != bytes * access.components) return false;
    for (std::uint32_t k = 0; k < access.components; ++k) {
        const Extent data = elements(access.registers + k * access.componentBytes, std::max(bytes, 4u), 1, lanes);
        if (!(what.form.write ? spill(loop, data) : replaceLinear(loop, data))) return false;
    }
    if (!loop.lanes.load(rcx, *address, 0, 8)) return false;
    findInLimit(m, what, loop.otherwise);
    expectRun(total);
    fetchAhead(total, what.form.write);
    moveRun(m, what, dataOfRun(m, what));
    loop.runs = true;
    return true;
}

}  // namespace zetl::emulator::translate
