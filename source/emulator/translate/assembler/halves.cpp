// Halves of registers of 64 bytes: those used last are in registers of the host, others in the frame or in memory that
// is known to hold the same.
#include <algorithm>
#include <bit>
#include <cstring>

#include "emulator/translate/assembler/avx2_assembler.h"
#include "emulator/translate/assembler/layout.h"

namespace zetl::emulator::translate {

using namespace asmjit::x86;
using asmjit::Imm;
using namespace avx2;

namespace {

constexpr std::int32_t kHalfBytes = 32;
}  // namespace

/// One that holds nothing that an operand of this instruction needs: an empty one, or the one of the least rank, which
/// is looked for without branches that the host could not predict.
Vec Avx2Assembler::fresh(std::uint32_t bytes) {
    constexpr std::uint32_t kScratch = 1u << 7 | 1u << 14 | 1u << 15;
    static_assert(isScratch(7) && isScratch(14));
    std::uint32_t found = 0;
    if (const std::uint32_t empty = state_.empty & ~(recent_ | kScratch); empty != 0)
        found = static_cast<std::uint32_t>(std::countr_zero(empty));
    else
        found = oldestBut(recent_ | kScratch | pinnedRegisters());
    vacate(found);
    use(found);
    return sized(found, bytes);
}

/// Of the registers that are none of these.
std::uint32_t Avx2Assembler::oldestBut(std::uint32_t others) {
    constexpr std::uint64_t kStoring = 6;  // a clean register costs as much if used this much later
    constexpr std::uint32_t kNumberBits = 4;
    std::uint64_t best = ~0ull;  // the rank, and the number below it
    for (std::uint32_t n = 0; n < state_.registers.size(); ++n) {
        const std::uint64_t rank = used_[n] + kStoring * std::uint64_t{state_.registers[n].dirty};
        const std::uint64_t taken = std::uint64_t{0} - (others >> n & 1);
        best = std::min(best, (rank << kNumberBits | n) | taken);
    }
    if (best != ~0ull) return static_cast<std::uint32_t>(best & ((1u << kNumberBits) - 1));
    failed_ = true;
    return 0;
}

/// Those that have lanes which are nowhere else, a bit each.
std::uint32_t Avx2Assembler::pinnedRegisters() const noexcept {
    std::uint32_t pinned = 0;
    for (const State::Mask& m : state_.masks) {
        if (!m.live || m.laneBytes == 0) continue;
        for (std::uint32_t n = 0; n < state_.registers.size(); ++n) {
            const State::Register& r = state_.registers[n];
            if (r.what == State::Holds::lanes && m.value == State::valueOf(r.of)) pinned |= 1u << n;
        }
    }
    return pinned;
}

void Avx2Assembler::vacate(std::uint32_t number) {
    const State::Register& r = state_.registers[number];
    if (r.what == State::Holds::half) {
        storeHalf(r.of);
        state_.in[r.of] = HostState::kNowhere;
    }
    state_.clear(number);
}

void Avx2Assembler::own(std::uint32_t number, std::uint32_t half, bool dirty) {
    if (state_.in[half] != number) drop(half);
    state_.hold(number, {.what = State::Holds::half, .dirty = dirty, .of = half});
    use(number);
    state_.in[half] = static_cast<std::uint8_t>(number);
    state_.live |= 1ull << half;
}

/// Its register may be an operand still, but no longer this half.
void Avx2Assembler::drop(std::uint32_t half) {
    const std::uint8_t number = state_.in[half];
    if (number == HostState::kNowhere) return;
    state_.clear(number);
    state_.in[half] = HostState::kNowhere;
}

Mem Avx2Assembler::home(std::uint32_t half, std::uint32_t bytes) const {
    if (state_.memory[half] == 0) return frame(kSlots + 32 * static_cast<std::int32_t>(half), bytes);
    if (HostState::isOfThread(state_.memory[half]))
        return ptr(rbx, (state_.memory[half] - std::int32_t{HostState::kThreadMemory}) * kHalfBytes, bytes);
    Mem memory = memories_[state_.memory[half] - 1];
    memory.setSize(bytes);
    return memory;
}

/// The number of some memory: of the thread's, which follows from its address, or of another.
std::uint16_t Avx2Assembler::memoryNumber(const Mem& memory) {
    const std::int64_t at = memory.offset();
    if (!isForeign(memory) && at >= 0 && at % kHalfBytes == 0 &&
        at < std::int64_t{HostState::kThreadMemory} * kHalfBytes)
        return static_cast<std::uint16_t>(HostState::kThreadMemory + at / kHalfBytes);
    const std::uint64_t base = std::uint64_t{memory.baseId()} << 1 | (memory.hasBaseLabel() ? 1 : 0);
    const std::uint64_t key = base << 32 | static_cast<std::uint32_t>(memory.offsetLo32());
    const auto [known, fresh] = numbers_.try_emplace(key, static_cast<std::uint16_t>(memories_.size() + 1));
    if (fresh) memories_.push_back(memory);
    if (memories_.size() >= HostState::kThreadMemory) failed_ = true;
    return known->second;
}

void Avx2Assembler::storeHalf(std::uint32_t half) {
    const std::uint8_t number = state_.in[half];
    if (number == HostState::kNowhere || !state_.registers[number].dirty) return;
    state_.memory[half] = state_.placeOf(half);
    put(Inst::kIdVmovdqu, home(half, 32), Ymm(number));
    state_.registers[number].dirty = false;
}

void Avx2Assembler::storeAll() {
    for (std::uint32_t h = 0; h < HostState::kHalves; ++h) storeHalf(h);
}

/// What was not stored is lost.
void Avx2Assembler::dropRegisters() {
    for (std::uint32_t n = 0; n < state_.registers.size(); ++n) state_.clear(n);
    state_.in.fill(HostState::kNowhere);
}

namespace {

/// The range of the lanes in 32 bytes.
std::uint8_t rangeOfBytes(const std::byte* contents) {
    std::uint8_t range = HostState::kBoth;
    for (std::size_t at = 0; at < 32; at += sizeof(std::int64_t)) {
        std::int64_t value;
        std::memcpy(&value, contents + at, sizeof value);
        if (value != static_cast<std::uint32_t>(value)) range &= HostState::kSigned32;
        if (value != static_cast<std::int32_t>(value)) range &= HostState::kUnsigned32;
    }
    return range;
}

}  // namespace

void Avx2Assembler::loadHeld(InstId, const Zmm& to, const Mem& from, const void* contents) {
    for (std::uint32_t h = 0; h < 2; ++h) {
        Mem memory = from;
        memory.addOffset(32 * static_cast<std::int64_t>(h));
        memory.setSize(32);
        const std::uint32_t half = halfOf(to, h);
        drop(half);
        state_.homes[to.id()] = 0;
        state_.memory[half] = memoryNumber(memory);
        state_.live |= 1ull << half;
        leaving_ &= ~(1ull << half);
        state_.range[half] = contents == nullptr ? std::uint8_t{HostState::kAny}
                                                 : rangeOfBytes(static_cast<const std::byte*>(contents) + 32 * h);
    }
}

void Avx2Assembler::storeHeld(InstId, const Mem& to, const Zmm& from) {
    release();
    for (std::uint32_t h = 0; h < 2; ++h) {
        Mem memory = to;
        memory.addOffset(32 * static_cast<std::int64_t>(h));
        memory.setSize(32);
        const std::uint32_t half = halfOf(from, h);
        const std::uint16_t number = memoryNumber(memory);
        const std::uint8_t in = state_.in[half];
        const bool dirty = in != HostState::kNowhere && state_.registers[in].dirty;
        if (state_.memory[half] == number && !dirty) continue;
        put(Inst::kIdVmovdqu, memory, loaded(from, h));
        state_.registers[state_.in[half]].dirty = false;
        state_.memory[half] = number;
    }
}

void Avx2Assembler::storeHeldToo(InstId, const Mem& to, const Zmm& from) {
    release();
    for (std::uint32_t h = 0; h < 2; ++h) {
        Mem memory = to;
        memory.addOffset(kHalfBytes * static_cast<std::int64_t>(h));
        memory.setSize(kHalfBytes);
        const std::uint32_t half = halfOf(from, h);
        if (state_.isDirty(half) || state_.memory[half] != memoryNumber(memory))
            put(Inst::kIdVmovdqu, memory, loaded(from, h));
    }
}

void Avx2Assembler::mayBeStored(std::uint32_t number, std::uint32_t place) {
    state_.homes[number] = static_cast<std::uint16_t>(HostState::kThreadMemory + place / kHalfBytes);
}

void Avx2Assembler::forgetHeld(std::uint32_t first, std::uint32_t end) {
    for (std::uint32_t half = 2 * first; half < 2 * end; ++half) forgetHalf(half);
}
void Avx2Assembler::forgetHalf(std::uint32_t half) {
    drop(half);
    state_.homes[half / 2] = 0;
    state_.memory[half] = 0;
    state_.range[half] = HostState::kAny;
    state_.live &= ~(1ull << half);
}

void Avx2Assembler::forgetMasks(std::uint32_t first, std::uint32_t end) {
    for (std::uint32_t k = first; k < end; ++k) state_.masks[k] = {.value = ++values_};
}

void Avx2Assembler::forgetIntermediates() {
    forgetHeld(0, kTemporaries);
    forgetMasks(kFirstTemporaryMask, kLanesOfMessage);
}
void Avx2Assembler::forgetTemporaries() {
    forgetHeld(0, kTemporaries);
    for (; leaving_ != 0; leaving_ &= leaving_ - 1) forgetHalf(static_cast<std::uint32_t>(std::countr_zero(leaving_)));
    forgetMasks(kFirstTemporaryMask, static_cast<std::uint32_t>(state_.masks.size()));
}

void Avx2Assembler::forgetLanes() { state_.masks[1].live = state_.masks[2].live = false; }

Avx2Assembler::Operand Avx2Assembler::half(const Operand& operand, std::uint32_t number) {
    const std::uint32_t bytes = std::min(bytesOf(operand), 32u);
    if (operand.isMem()) {
        Mem place = operand.as<Mem>();
        place.addOffset(32 * static_cast<std::int64_t>(number));
        place.setSize(bytes);
        return place;
    }
    const std::uint32_t half = halfOf(operand, number);
    const std::uint8_t in = state_.in[half];
    if (in == HostState::kNowhere) return home(half, bytes);
    use(in);
    return sized(in, bytes);
}

Vec Avx2Assembler::loaded(const Operand& operand, std::uint32_t number) {
    const std::uint32_t bytes = std::min(bytesOf(operand), 32u);
    const Operand from = half(operand, number);
    if (!from.isMem()) return from.as<Vec>();
    const Vec to = fresh(bytes);
    if (operand.isMem()) {
        put(Inst::kIdVmovdqu, to, from);
        return to;
    }
    const std::uint32_t held = halfOf(operand, number);
    put(Inst::kIdVmovdqu, Ymm(to.id()), home(held, 32));
    own(to.id(), held, false);
    return to;
}

Avx2Assembler::Operand Avx2Assembler::part(const Operand& operand, std::uint32_t offset, std::uint32_t bytes,
                                           const Vec& into) {
    const Operand whole = operand.isMem() ? operand : half(operand, offset / 32);
    const std::uint32_t within = operand.isMem() ? offset : offset % 32;
    if (whole.isMem()) {
        Mem place = whole.as<Mem>();
        place.addOffset(within);
        place.setSize(bytes);
        return place;
    }
    const std::uint32_t number = whole.id();
    if (within == 0) return bytes > 16 ? Vec(Ymm(number)) : Vec(Xmm(number));
    Xmm to(into.id());
    if (within >= 16)
        put(Inst::kIdVextracti128, to, Ymm(number), Imm(1));
    else
        put(Inst::kIdVpsrldq, to, Xmm(number), Imm(within));
    if (within > 16) put(Inst::kIdVpsrldq, to, to, Imm(within - 16));
    return to;
}

std::uint8_t Avx2Assembler::rangeOf(const Operand& operand, std::uint32_t number) const noexcept {
    return operand.isMem() ? std::uint8_t{HostState::kAny} : state_.range[halfOf(operand, number)];
}
/// Of a result that has just been written.
void Avx2Assembler::noteRange(const Wide& i, std::uint32_t number, std::uint8_t range) {
    if (i.mask == 0 && !i.operand[0].isMem()) state_.range[halfOf(i.operand[0], number)] = range;
}

void Avx2Assembler::become(const Operand& operand, std::uint32_t number, const Vec& value) {
    if (operand.isMem()) {
        put(Inst::kIdVmovdqu, half(operand, number), value);
        return;
    }
    const std::uint32_t half = halfOf(operand, number);
    std::uint32_t in = value.id();
    const bool same = state_.in[half] == in;
    if (!same && (isScratch(in) || state_.registers[in].what != State::Holds::nothing)) {
        if (!isScratch(in)) use(in);
        const Vec copy = fresh(value.size());
        put(Inst::kIdVmovdqa, copy, value);
        in = copy.id();
    }
    own(in, half, true);
    leaving_ &= ~(1ull << half);
    state_.memory[half] = 0;
    state_.range[half] = HostState::kAny;
}

bool Avx2Assembler::finishHalf(const Wide& i, std::uint32_t number, const Vec& value, std::uint32_t laneBytes) {
    const Operand& to = i.operand[0];
    if (i.mask == 0) {
        become(to, number, value);
        return true;
    }
    const std::uint32_t bytes = std::min(bytesOf(to), 32u);
    const Vec on = i.zeroes ? lanesOf(i.mask, number, laneBytes, bytes) : signsOf(i.mask, number, laneBytes, bytes);
    if (isForeign(to)) {
        if (laneBytes < 4) return false;
        if (writesAlone_) {  // much faster than the masked store on Zen
            const Vec together = fresh(bytes);
            put(Inst::kIdVmovdqu, together, half(to, number));
            put(blendIn(laneBytes), together, together, value, on);
            put(Inst::kIdVmovdqu, half(to, number), together);
            return true;
        }
        put(laneBytes == 4 ? Inst::kIdVpmaskmovd : Inst::kIdVpmaskmovq, half(to, number), on, value);
        return true;
    }
    const Vec result = fresh(bytes);
    if (i.zeroes) {
        put(Inst::kIdVpand, result, on, value);
    } else {
        Operand old = half(to, number);
        if (old.isMem()) {
            put(Inst::kIdVmovdqu, result, old);
            old = result;
        }
        put(blendIn(laneBytes), result, old, value, on);
    }
    become(to, number, result);
    return true;
}

}  // namespace zetl::emulator::translate
