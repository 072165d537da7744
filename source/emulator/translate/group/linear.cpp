// tidy: without the analyzer, which follows asmjit into shifts that its callers exclude
// Threads of a group whose work-items' ids run on: addresses are one number each, and so is all that leads to them. A
// thread in which they do not is done by the loop that takes any.
#include "emulator/translate/group/linear.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <utility>

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

bool LinearSteps::emit(const PlannedStep& step, const isa::StateSlots& read) {
    const Step& m = step.m;
    const Meaning& what = step.what;
    switch (what.family) {
        case Family::convert:
            return convert(m, what);
        case Family::compute:
            return compute(m, what);
        case Family::retire:
            return retire(m, what);
        case Family::block:
            return block(m, read);
        case Family::laneAccess:
            return access(step);
        case Family::compare:
            return guard(step);
        case Family::pick:
            return step.picked && move(m.src[*step.picked], m, what);
        default:
            return false;
    }
}

bool LinearSteps::convert(const Step& m, const Meaning& what) {
    if (m.src[0] >= layout::kBytes || !isWholeNumber(what.type) || isa::isReal(what.lanes)) return false;
    const std::uint32_t count = laneCount(m, what);
    const std::uint32_t bytes = isa::byteSize(what.lanes);
    const std::uint32_t from = isa::byteSize(what.type);
    const bool same = count == 1 || what.stride == 0;
    const Extent e = elements(m.src[0], from, same ? 1 : what.stride, same ? 1 : count);
    takeIds(e);
    const auto found = held_.lanes.find(e);
    const auto lanes = found ? held_.lanes.extended(*found, e, bytes, isa::isSigned(what.type)) : std::nullopt;
    const bool shares = what.wide && same && from == bytes && !held_.lanes.isHeld(e) && conversions_.mayShare(m, bytes);
    if (!held_.hold(elements(m.dst, bytes, 1, count), lanes, shares)) return false;
    if (shares) values_.share({m.dst, count * bytes / kSlot, e.place, bytes});
    return true;
}

bool LinearSteps::compute(const Step& m, const Meaning& what) {
    constexpr std::uint32_t kMost = 3;
    if (what.masked || isa::isReal(what.lanes)) return false;
    if (what.row == kLesserRow || what.row == kGreaterRow) return select(m, what);
    const std::uint32_t count = laneCount(m, what);
    const std::uint32_t bytes = isa::byteSize(what.lanes);
    std::array<Linear, kMost> operand;
    const std::uint32_t operands = operandsOf(what);
    for (std::uint32_t i = 0; i < operands; ++i) {
        const auto value = held_.operand(m.src[i], bytes, count);
        if (!value) return false;
        operand[i] = *value;
    }
    const auto& [x, y, z] = operand;
    return held_.hold(elements(m.dst, bytes, 1, count), result(held_.lanes, what.row, bytes, x, y, z));
}

std::optional<Linear> LinearSteps::result(LinearLanes& lanes, std::uint16_t row, std::uint32_t bytes, const Linear& x,
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

bool LinearSteps::retire(const Step& m, const Meaning& what) {
    if (what.masked || !isWholeNumber(what.type) || isa::isReal(what.lanes) || m.src[0] >= layout::kBytes) return false;
    const std::uint32_t count = laneCount(m, what);
    const std::uint32_t bytes = isa::byteSize(what.type);
    const Extent e = elements(m.src[0], isa::byteSize(what.lanes), 1, count);
    const auto found = held_.lanes.find(e);
    const auto lanes = found ? held_.lanes.extended(*found, e, bytes, hasSign(what.lanes)) : std::nullopt;
    return held_.hold(elements(m.dst, bytes, count == 1 ? 1 : m.stride, count), lanes);
}

bool LinearSteps::move(std::uint64_t from, const Step& m, const Meaning& what) {
    const std::uint32_t count = laneCount(m, what);
    const std::uint32_t bytes = isa::byteSize(what.lanes);
    return held_.hold(elements(m.dst, bytes, 1, count), held_.operand(from, bytes, count));
}

/// A comparison that all lanes must hold, or fail.
bool LinearSteps::guard(const PlannedStep& step) {
    const Step& m = step.m;
    const Meaning& what = step.what;
    using enum CondCode;
    // By the hardware's conditions eq ne gt ge lt le, 1 to 6.
    static constexpr std::array kSigned{kO, kE, kNE, kG, kGE, kL, kLE};
    static constexpr std::array kUnsigned{kO, kE, kNE, kA, kAE, kB, kBE};
    if (step.guard == Guard::none) return true;
    if (isa::isReal(what.lanes) || what.row >= kSigned.size()) return false;
    const std::uint32_t count = laneCount(m, what);
    const std::uint32_t bytes = isa::byteSize(what.lanes);
    const auto x = held_.operand(m.src[0], bytes, count);
    const auto y = held_.operand(m.src[1], bytes, count);
    const CondCode wanted = hasSign(what.lanes) ? kSigned[what.row] : kUnsigned[what.row];
    return x && y && unlessOrdered(*x, *y, {step.guard == Guard::fails ? negateCond(wanted) : wanted, bytes, count});
}

/// The lesser or the greater of lanes that grow and a number: at most edges of what the kernel works on it is that
/// number.
bool LinearSteps::select(const Step& m, const Meaning& what) {
    using enum CondCode;
    const std::uint32_t count = laneCount(m, what);
    const std::uint32_t bytes = isa::byteSize(what.lanes);
    auto x = held_.operand(m.src[0], bytes, count);
    auto y = held_.operand(m.src[1], bytes, count);
    if (!x || !y) return false;
    if (x->step == 0) std::swap(x, y);
    const bool lesser = what.row == kLesserRow;
    const CondCode wanted = hasSign(what.lanes) ? (lesser ? kLE : kGE) : (lesser ? kBE : kAE);
    return x->step != 0 && unlessOrdered(*x, *y, {wanted, bytes, count}) &&
           held_.hold(elements(m.dst, bytes, 1, count), x);
}

/// Lanes that grow are on one side of a number if the last one is, or the first, and none wraps; otherwise the thread
/// goes elsewhere. Returns false if that is not enough to know.
bool LinearSteps::unlessOrdered(Linear x, Linear y, Order order) {
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
    if (!held_.lanes.load(sized(rdx), y, 0, order.bytes) || !held_.lanes.load(sized(rax), x, 0, order.bytes))
        return false;
    if (grows) {
        a_.mov(rcx, rax);
        a_.add(sized(rcx), Imm(reach));
        isUnsigned ? a_.jc(otherwise_) : a_.jo(otherwise_);
    }
    a_.cmp(sized(ofLast && grows ? rcx : rax), sized(rdx));
    a_.j(negateCond(wanted), otherwise_);
    return true;
}

/// A load of what the launch passes to threads, each its own.
bool LinearSteps::block(const Step& m, const isa::StateSlots& read) {
    constexpr std::int32_t kAlignmentMask = 3;
    const auto access = BlockAccess::of(m);
    if (access.space == MemorySpace::global) return foresight_ == nullptr && globalBlock(m);
    const auto address = held_.lanes.find(elements(access.address, 4, 1, 1));
    const bool whole = access.bytes != 0 && access.bytes % kSlot == 0 && access.registers % kSlot == 0;
    if (access.space != MemorySpace::payload || access.write || access.wideAddress || !whole || !address) return false;
    if (!held_.lanes.load(eax, *address, 0, 4)) return false;
    const Extent data{access.registers, access.bytes, access.bytes, 1};
    if (!held_.replace(data)) return false;
    const Area area = access_.areaOf(access.space, false, m);
    a_.test(eax, kAlignmentMask);
    a_.jnz(otherwise_);
    a_.lea(rcx, ptr(rax, static_cast<std::int32_t>(access.bytes)));
    a_.cmp(rcx, area.bytes);
    a_.ja(otherwise_);
    a_.add(rax, area.host);
    for (std::uint32_t at = 0; at < access.bytes; at += kSlot) {
        cache_.release();
        const std::uint32_t place = access.registers + at;
        if (!read.contains(place)) continue;
        a_.vmovdqu32(cache_.replace(place), ptr(rax, static_cast<std::int32_t>(at), 64));
        held_.ids.emplace_back(place, firstIds_ ? 1 : 0);
        firstIds_ = false;
    }
    return true;
}

/// The same, of architectures whose launches pass addresses.
bool LinearSteps::globalBlock(const Step& m) {
    const auto access = BlockAccess::of(m);
    const auto address = held_.lanes.find(elements(access.address, 8, 1, 1));
    const Extent data{access.registers, access.bytes, access.bytes, 1};
    if (!address || !held_.lanes.load(rax, *address, 0, 8) || !held_.replace(data)) return false;
    messages_.loadBlockAtRax(m, otherwise_);
    for (std::uint32_t at = 0; at + kSlot <= access.bytes; at += kSlot) {
        held_.ids.emplace_back(access.registers + at, firstIds_ ? 1 : 0);
        firstIds_ = false;
    }
    return true;
}

/// If these are ids of work-items, they are linear from now on; threads in which they are not go elsewhere. Those of
/// the first dimension are taken for running on, the others for equal.
void LinearSteps::takeIds(const Extent& e) {
    constexpr std::uint32_t kHalf = 16;
    const auto ids = std::ranges::find(held_.ids, e.place, [](const auto& id) { return id.first; });
    const bool some = e.bytes == kIdBytes && e.spacing == kIdBytes && (e.count == kHalf || e.count == 2 * kHalf);
    if (ids == held_.ids.end() || !some || held_.lanes.isHeld(e)) return;
    const std::int64_t step = ids->second;
    Gp first;
    const auto scalar = held_.lanes.fresh(first, kIdBytes * 8);
    if (!scalar) return;
    const Zmm held = cache_.read(e.place);
    a_.vmovd(r11d, held.xmm());
    a_.movzx(first.r32(), r11w);
    a_.vpbroadcastw(zmm0, held.xmm());
    if (step != 0) {
        a_.vpaddw(zmm0, zmm0, access_.wordDistances());
        const auto last = static_cast<std::int32_t>(step) * static_cast<std::int32_t>(e.count - 1);
        a_.cmp(first.r32(), Imm(0xffff - last));
        a_.ja(otherwise_);
    }
    a_.vpcmpeqw(k3, zmm0, held);
    e.count == kHalf ? a_.kortestw(k3, k3) : a_.kortestd(k3, k3);
    a_.jnc(otherwise_);
    held_.lanes.hold(e, {.scalar = scalar->scalar, .step = step, .exact = true}, true);
}

/// A load or store whose lanes run on from the first.
bool LinearSteps::access(const PlannedStep& step) {
    const Step& m = step.m;
    const Meaning& what = step.what;
    const auto access = LaneAccess::of(m);
    const std::uint32_t bytes = elementBytes(what.laneForm());
    const auto lanes = static_cast<std::uint32_t>(m.chunks * 16u);
    const std::uint32_t total = lanes * bytes * access.components;
    const auto address = held_.lanes.find(elements(access.addresses, 8, 1, lanes));
    if (!address || address->step != bytes * access.components) return false;
    for (std::uint32_t k = 0; k < access.components; ++k) {
        const Extent data = elements(access.registers + k * access.componentBytes, std::max(bytes, 4u), 1, lanes);
        const bool stays = what.laneForm().write && foresight_ != nullptr;
        if (!stays && !(what.laneForm().write ? held_.spill(data) : held_.replace(data))) return false;
    }
    if (!held_.lanes.load(rcx, *address, 0, 8)) return false;
    if (foresight_ != nullptr) {
        foresight_->noteRun(m.line, total);
        if (!foresight_->loads()) return true;
    }
    messages_.findInLimit(m, what, otherwise_);
    if (foresight_ != nullptr && !step.leads) return true;
    messages_.expect(total, step.leads);
    access_.fetchAhead(total, what.laneForm().write);
    messages_.moveRun(m, what, messages_.dataOfRun(m, what));
    runs_ = true;
    return true;
}

}  // namespace zetl::emulator::translate
