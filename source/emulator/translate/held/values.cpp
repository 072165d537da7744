// tidy: without the analyzer, which follows asmjit into shifts that its callers exclude
#include "emulator/translate/held/values.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace zetl::emulator::translate {

using namespace asmjit::x86;
namespace layout = isa::layout;

namespace {

struct Signs {
    using Slot = std::array<std::uint64_t, RegisterCache::kSlotBytes / 8>;
    alignas(RegisterCache::kSlotBytes) Slot ofSingles{};
    alignas(RegisterCache::kSlotBytes) Slot ofDoubles{};
    constexpr Signs() {
        ofSingles.fill(0x8000000080000000);
        ofDoubles.fill(0x8000000000000000);
    }
};
constexpr Signs kSigns;

}  // namespace

/// A vector of a source, or its one lane, in the given temporary register unless it is in a register already.
Vec Values::source(std::uint64_t where, std::uint32_t vector, const Meaning& what, std::uint32_t number) {
    const std::uint32_t laneBytes = isa::byteSize(what.lanes);
    const std::uint64_t at = where + vector * RegisterCache::kSlotBytes;
    const Vec temp = temporary(number, what.wide);
    if (where >= layout::kBytes) {
        if (what.wide) return cache_.read(at);
        std::uint64_t bits = 0;
        std::memcpy(&bits, reinterpret_cast<const void*>(where), laneBytes);
        a_.mov(r11, bits);
        a_.vmovq(temp.as<Xmm>(), r11);
        return temp;
    }
    const auto place = static_cast<std::uint32_t>(at);
    if (isShared(where)) return sharedVector(*std::ranges::find(shared_, where, &Shared::where), vector, number);
    if (!what.wide) {
        if (cache_.isLane(place, laneBytes)) return RegisterCache::lane();
        if (const auto lane = laneOfHeld(place, laneBytes, temp.as<Xmm>())) return *lane;
        cache_.store(place, laneBytes);
        a_.emit(laneBytes == 4 ? Inst::kIdVmovd : Inst::kIdVmovq, temp.as<Xmm>(), laneAt(place, laneBytes));
        return temp;
    }
    if (place % RegisterCache::kSlotBytes == 0) return cache_.read(at);
    cache_.store(place, RegisterCache::kSlotBytes);
    a_.vmovdqu64(temp.as<Zmm>(), state(place, 64));
    return temp;
}

/// One lane of a slot that a register holds, sooner than by memory: there, or in the given register.
std::optional<Xmm> Values::laneOfHeld(std::uint32_t place, std::uint32_t laneBytes, const Xmm& to) {
    constexpr std::uint32_t kPart = 16;
    const std::uint32_t inSlot = place % RegisterCache::kSlotBytes;
    const auto held = cache_.held(place - inSlot);
    if (!held || a_.hasFewRegisters() || inSlot % laneBytes != 0) return {};
    Xmm part = held->xmm();
    if (inSlot >= kPart) {
        a_.vextracti32x4(to, *held, inSlot / kPart);
        part = to;
    }
    const std::uint32_t inPart = inSlot % kPart;
    if (inPart == 0) return part;
    constexpr std::uint32_t kUpperHalf = 0xee;
    constexpr std::uint32_t kSameFour = 0x55;
    a_.vpshufd(to, part, laneBytes == 8 ? kUpperHalf : inPart / 4 * kSameFour);
    return to;
}

/// The same if only so many low bytes are used, or all (0). No more is loaded, because a load of a value that was
/// stored in part waits until the value is in the host's cache.
Vec Values::lowOf(std::uint64_t where, const Meaning& what, std::uint32_t number, std::uint32_t bytes) {
    constexpr std::uint32_t kMost = 32;
    if (bytes == 0 || bytes > kMost || !what.wide || where >= layout::kNull) return source(where, 0, what, number);
    const auto place = static_cast<std::uint32_t>(where);
    const std::uint32_t inSlot = place % RegisterCache::kSlotBytes;
    if (const auto held = cache_.held(place - inSlot)) {
        const std::uint32_t size = std::max(bytes, 16u);
        if (inSlot == 0 || inSlot % size != 0) return source(where, 0, what, number);
        if (size == kMost)
            a_.vextracti64x4(Ymm(number), *held, inSlot / size);
        else
            a_.vextracti32x4(Xmm(number), *held, inSlot / size);
        return Zmm(number);
    }
    cache_.store(place, bytes);
    const Mem at = state(place, bytes);
    switch (bytes) {
        case 4:
            a_.vmovd(Xmm(number), at);
            break;
        case 8:
            a_.vmovq(Xmm(number), at);
            break;
        case 16:
            a_.vmovdqu(Xmm(number), at);
            break;
        default:
            a_.vmovdqu(Ymm(number), at);
    }
    return Zmm(number);
}

/// A result, or the lanes of it that are on.
void Values::writeVector(std::uint32_t where, std::uint32_t vector, Vec value, const Meaning& what, bool masked) {
    const std::uint32_t laneBytes = isa::byteSize(what.lanes);
    const std::uint32_t place = where + vector * RegisterCache::kSlotBytes;
    const InstId move = laneBytes == 4 ? Inst::kIdVmovdqu32 : Inst::kIdVmovdqu64;
    const KReg k = masked ? masks_.lanesOf(vector, RegisterCache::kSlotBytes / laneBytes) : k0;
    const auto emit = [&](const auto& to) {
        if (masked) a_.k(k);
        a_.emit(move, to, value);
    };
    if (!what.wide) {
        cache_.evict(place, laneBytes);
        if (masked)
            emit(state(place, 16));
        else
            keepLane(place, laneBytes, value.as<Xmm>());
    } else if (place % RegisterCache::kSlotBytes == 0) {
        emit(masked ? cache_.update(place) : cache_.replace(place));
    } else {
        cache_.evict(place, RegisterCache::kSlotBytes);
        emit(state(place, 64));
    }
    if (place < layout::kFlags + 64 && place + 64 > layout::kFlags) masks_.forgetLanes();
}

/// To its place, and where the next reader has it at once.
void Values::keepLane(std::uint32_t place, std::uint32_t bytes, const Xmm& value) {
    bytes == 4 ? a_.vmovd(state(place, 4), value) : a_.vmovq(state(place, 8), value);
    a_.vmovdqa(RegisterCache::lane(), value);
    cache_.holdLane(place, bytes);
    if (bytes == 4) dwordLanes_[dwordLane_++ % dwordLanes_.size()] = place;
}

/// Whether 64 bits were just stored as two halves, for which one load would wait until they are in the host's cache. If
/// there is no register to join them in, the load waits.
bool Values::isOfHalves(std::uint32_t place) const {
    const auto has = [&](std::uint32_t half) { return std::ranges::find(dwordLanes_, half) != dwordLanes_.end(); };
    return !generalsAreLent_ && has(place) && has(place + 4);
}

/// A lane, which is at home: there, or in r11.
asmjit::Operand Values::laneAt(std::uint32_t place, std::uint32_t bytes) {
    if (bytes != 8 || !isOfHalves(place)) return state(place, bytes);
    joinHalves(r11, place);
    return r11;
}

void Values::broadcast(Vec d, std::uint64_t bits, std::uint32_t laneBytes) {
    if (laneBytes == 4) {
        a_.mov(r11d, static_cast<std::uint32_t>(bits));
        a_.emit(Inst::kIdVpbroadcastd, d, r11d);
        return;
    }
    a_.mov(r11, bits);
    a_.emit(Inst::kIdVpbroadcastq, d, r11);
}

/// The register that holds a vector of a destination, to be computed in, if there is one that no operand needs.
std::optional<Zmm> Values::resultRegister(std::uint32_t where, std::uint32_t vector, const Meaning& what,
                                          std::initializer_list<Vec> operands) {
    const std::uint32_t place = where + vector * RegisterCache::kSlotBytes;
    const bool flags = place < layout::kFlags + 64 && place + 64 > layout::kFlags;
    if (!what.wide || place % RegisterCache::kSlotBytes != 0 || flags) return {};
    const auto held = cache_.held(place);
    const auto is = [&](const Vec& operand) { return held && operand.isVec() && operand.id() == held->id(); };
    if (std::ranges::any_of(operands, is)) return {};
    return what.masked ? cache_.update(place) : cache_.replace(place);
}

bool Values::isShared(std::uint64_t where) const {
    return std::ranges::find(shared_, where, &Shared::where) != shared_.end();
}

/// An element of a register in all lanes.
Zmm Values::sharedLane(std::uint32_t place, std::uint32_t bytes) {
    if (const auto held = cache_.heldBroadcast(place, bytes)) return *held;
    if (cache_.isLane(place, bytes)) return cache_.broadcast(place, bytes, RegisterCache::lane());
    if (const auto single = cache_.heldSingle(place, bytes))
        return cache_.broadcast(place, bytes, bytes == 8 ? *single : Gp(single->r32()));
    cache_.store(place, bytes);
    return cache_.broadcast(place, bytes, laneAt(place, bytes));
}

Zmm Values::signs(std::uint32_t bytes) {
    const auto& slot = bytes == 4 ? kSigns.ofSingles : kSigns.ofDoubles;
    return cache_.read(reinterpret_cast<std::uint64_t>(&slot));
}

/// Where it is held, or in the given temporary register.
Zmm Values::sharedVector(const Shared& s, std::uint32_t vector, std::uint32_t number) {
    if (s.all) return sharedLane(s.place, s.bytes);
    const Zmm held = cache_.read(s.place + vector * RegisterCache::kSlotBytes);
    if (s.negative == 0) return held;
    a_.vpxorq(Zmm(number), held, signs(s.negative));
    return Zmm(number);
}

/// As vectors after all, for a step that is called.
void Values::storeShared() {
    for (const Shared& s : std::exchange(shared_, {}))
        for (std::uint32_t v = 0; v < s.vectors; ++v)
            a_.vmovdqu64(state(s.where + v * RegisterCache::kSlotBytes, RegisterCache::kSlotBytes),
                         sharedVector(s, v, 1));
}

asmjit::Operand Values::singleAt(std::uint32_t place, std::uint32_t bytes) {
    const std::uint32_t flag = (place - layout::kFlags) / 4;
    if (bytes == 4 && place >= layout::kFlags && place % 4 == 0 && mirrors_.isFlagHeld(flag))
        return mirrors_.flagMirror(flag);
    if (const auto held = cache_.heldSingle(place, bytes)) return ofBytes(*held, bytes);
    cache_.store(place, bytes);
    if (bytes != 8 || !isOfHalves(place)) return state(place, bytes);
    joinHalves(rax, place);
    return rax;
}

void Values::joinHalves(const Gp& to, std::uint32_t place) {
    const auto half = [&](std::uint32_t at) -> asmjit::Operand {
        const auto held = cache_.heldSingle(at, 4);
        return held ? asmjit::Operand(held->r32()) : asmjit::Operand(state(at, 4));
    };
    a_.emit(Inst::kIdMov, to.r32(), half(place + 4));
    a_.emit(Inst::kIdMov, r8d, half(place));
    a_.shl(to, 32);
    a_.or_(to, r8);
}

/// A number to its home.
void Values::storeSingle(std::uint32_t place, std::uint32_t bytes, const Gp& value) {
    const std::uint32_t inFlags = place - layout::kFlags;
    if (place >= layout::kFlags && inFlags < layout::kFlagRegisters * 4) {
        masks_.forgetPredicated();
        if (bytes == 4 && inFlags % 4 == 0) return mirrors_.setFlag(inFlags / 4, value.r32());
    }
    cache_.evict(place, bytes);
    a_.mov(state(place, bytes), ofBytes(value, bytes));
    if (bytes == 4) dwordLanes_[dwordLane_++ % dwordLanes_.size()] = place;
    cache_.holdSingle(value, place, bytes);
}

bool Values::isPart(std::uint32_t place) const { return std::ranges::find(parts_, place) != parts_.end(); }

}  // namespace zetl::emulator::translate
