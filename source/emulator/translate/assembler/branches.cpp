// Jumps and labels. If only one way leads to a label, registers keep their content from the jump. If several ways meet,
// registers keep the halves that all of them have in registers, and the others are in memory: each way moves and stores
// what differs. Values that are not read any more are neither.
#include <algorithm>

#include "emulator/translate/assembler/avx2_assembler.h"
#include "emulator/translate/assembler/layout.h"

namespace zetl::emulator::translate {

using namespace asmjit::x86;
using asmjit::Error;
using namespace avx2;

namespace {

constexpr std::uint32_t kFirstHeld = 14;  // of the halves of registers that are held from step to step

}  // namespace

bool Avx2Assembler::isJump(InstId id) noexcept {
    return id == Inst::kIdJmp || (id >= Inst::kIdJa && id <= Inst::kIdJz);
}

Avx2Assembler::Target& Avx2Assembler::targetOf(const Operand& label) {
    if (label.id() >= labels_.size()) labels_.resize(label.id() + std::max<std::size_t>(64, label.id() / 2));
    return labels_[label.id()];
}

Error Avx2Assembler::jump(InstId id, const Operand& to) {
    InstId taken = id;
    const auto options = instOptions();
    resetInstOptions();
    const bool always = id == Inst::kIdJmp;
    Operand where = to;
    if (to.isLabel()) {
        Target& target = targetOf(to);
        if (target.bound && target.ends) return refuse(id);
        if (target.block) {
            endTest(taken);
        } else if (target.bound) {
            if (tested_) storeMask(tested_->mask);
            if (!always && !isAlike(*target.state)) storeAll();  // the code behind may read what the other does not
            changeTo(*target.state);
            endTest(taken);
            where = target.place;
        } else {
            endTest(taken);
            where = wayTo(target, to.as<Label>());
        }
    }
    setInstOptions(options);
    const Error error = put(taken, where);
    if (always) beginAnew();
    return error;
}

/// Ways on which registers hold the same are one.
Avx2Assembler::Label Avx2Assembler::wayTo(Target& target, const Label& label) {
    const State& state = target.seldom ? withHeldOnly() : state_;
    for (const Way& way : target.ways)
        if (way.state == state) return way.label;
    target.ways.push_back({target.ways.empty() ? label : newLabel(), state});
    return target.ways.back().label;
}
/// The present state, without temporary values and masks.
Avx2Assembler::State Avx2Assembler::withHeldOnly() const {
    State state = state_;
    state.clearLanes();
    for (std::uint32_t n = 0; n < state.registers.size(); ++n)
        if (state.registers[n].what == State::Holds::half && state.registers[n].of < kFirstHeld) state.clear(n);
    std::fill_n(state.in.begin(), kFirstHeld, HostState::kNowhere);
    std::fill_n(state.memory.begin(), kFirstHeld, std::uint16_t{0});
    state.range = {};
    state.homes = {};
    state.live = state.live >> kFirstHeld << kFirstHeld;
    state.masks = {};
    state.general = {};
    return state;
}

Error Avx2Assembler::bind(const Label& label) {
    Target& target = targetOf(label);
    const bool alone = target.ends && target.ways.size() + (state_.reachable ? 1 : 0) == 1;
    if (target.block) {
        beginAnew();
    } else {
        bindWays(target, label);
    }
    target.ways = {};  // they are large
    if (!target.place.isValid()) target.place = label;
    if (!code()->isLabelBound(label)) Assembler::bind(label);
    state_.reachable = true;
    if (!alone) normalizeMasks();
    target.bound = true;
    if (!target.block && !target.ends) target.state = std::make_unique<const State>(state_);
    if (failed_) return refuse(Inst::kIdJmp);
    return asmjit::kErrorOk;
}

/// Ends all ways here, with the state that they have in common; the label itself is bound if it is not the place
/// behind.
void Avx2Assembler::bindWays(Target& target, const Label& label) {
    const std::vector<Way>& ways = target.ways;
    if (ways.empty()) {
        if (!state_.reachable) beginAnew();
        return;
    }
    if (ways.size() == 1 && !state_.reachable) {
        state_ = ways.front().state;
        return;
    }
    const State met = common(target);
    const bool falls = state_.reachable;
    if (falls) changeTo(met);
    const auto changes = [&](const Way& way) { return mustChange(way.state, met); };
    const auto last = std::ranges::find_if(ways.rbegin(), ways.rend(), changes);
    if (last != ways.rend()) {
        const Label behind = newLabel();
        if (falls) put(Inst::kIdJmp, behind);
        for (const Way& way : ways) {
            if (!changes(way)) continue;
            Assembler::bind(way.label);
            state_ = way.state;
            changeTo(met);
            if (&way != &*last) put(Inst::kIdJmp, behind);
        }
        Assembler::bind(behind);
        target.place = behind;
    }
    for (const Way& way : ways)
        if (way.label != label && !changes(way)) Assembler::bind(way.label);
    state_ = met;
}

/// Memory of halves that is the same on all ways, and the registers of the first way, if all of them have the halves in
/// registers.
Avx2Assembler::State Avx2Assembler::common(const Target& target) const {
    const State& first = state_.reachable ? state_ : target.ways.front().state;
    State met = first;
    for (std::uint32_t h = 0; h < HostState::kHalves; ++h) met.memory[h] = first.storedIn(h);
    met.reachable = true;
    met.clearLanes();
    met.general = {};
    met.range = {};
    for (const Way& way : target.ways) {
        met.live &= way.state.live;
        for (std::uint32_t h = 0; h < HostState::kHalves; ++h)
            if (way.state.storedIn(h) != met.memory[h]) met.memory[h] = 0;
        for (std::size_t n = 0; n < met.homes.size(); ++n)
            if (way.state.homes[n] != met.homes[n]) met.homes[n] = 0;
        for (std::uint32_t k = 0; k < met.masks.size(); ++k) {
            State::Mask& m = met.masks[k];
            m.bits = std::max(m.bits, way.state.masks[k].bits);
            m.live = m.live && way.state.masks[k].live;
        }
    }
    for (State::Mask& m : met.masks) m = {.value = m.value, .shift = 0, .bits = m.bits, .stored = true, .live = m.live};
    keepRegisters(target, met);
    return met;
}

/// Of the first way's registers those whose halves all ways have in registers. A half that some way has not stored
/// there counts as not stored.
void Avx2Assembler::keepRegisters(const Target& target, State& met) const {
    for (std::uint32_t n = 0; n < met.registers.size(); ++n) {
        State::Register& r = met.registers[n];
        if (r.what != State::Holds::half) continue;
        const std::uint32_t half = r.of;
        const auto lacks = [&](const Way& way) { return way.state.in[half] == HostState::kNowhere; };
        if (!met.isLive(half) || std::ranges::any_of(target.ways, lacks)) {
            met.in[half] = HostState::kNowhere;
            met.clear(n);
            continue;
        }
        const auto differs = [&](const State& state) {
            return state.isDirty(half) || state.memory[half] != met.memory[half];
        };
        r.dirty = (state_.reachable && differs(state_)) || std::ranges::any_of(target.ways, differs, &Way::state);
        if (r.dirty) met.memory[half] = 0;
    }
}

bool Avx2Assembler::mustChange(const State& from, const State& to) const {
    for (std::uint32_t h = 0; h < HostState::kHalves; ++h) {
        if (to.isLive(h) && !isAlike(from, to, h)) return true;
    }
    for (std::uint32_t k = 0; k < to.masks.size(); ++k)
        if (to.masks[k].live && !from.masks[k].stored) return true;
    return false;
}

/// Every half that is live there is where it is there, and every mask is stored. Keeps the flags.
void Avx2Assembler::changeTo(const State& to) {
    release();
    for (std::uint32_t k = 0; k < to.masks.size(); ++k)
        if (to.masks[k].live || state_.masks[k].live) storeMask(k);
    if (isAlike(to)) return;
    for (std::uint32_t h = 0; h < HostState::kHalves; ++h)
        if (isMoved(to, h) && !to.isDirty(h) && !makeMemoryAlike(to, h)) failed_ = true;
    std::array<std::uint8_t, 16> from{};  // the register whose content each one gets
    from.fill(HostState::kNowhere);
    for (std::uint32_t n = 0; n < to.registers.size(); ++n)
        if (isHeldOnBoth(to, n)) from[n] = state_.in[to.registers[n].of];
    moveRegisters(from);
    for (std::uint32_t n = 0; n < to.registers.size(); ++n)
        if (isHeldOnBoth(to, n) && from[n] == HostState::kNowhere)
            put(Inst::kIdVmovdqu, Ymm(n), home(to.registers[n].of, 32));
    dropRegisters();
    for (std::uint32_t n = 0; n < to.registers.size(); ++n)
        if (isHeldOnBoth(to, n)) own(n, to.registers[n].of, to.registers[n].dirty);
    state_.general = {};
}

/// Whether the half is read there and has a value here.
bool Avx2Assembler::isMoved(const State& to, std::uint32_t half) const noexcept {
    return to.isLive(half) && state_.isLive(half);
}
bool Avx2Assembler::isHeldOnBoth(const State& to, std::uint32_t number) const noexcept {
    const State::Register& r = to.registers[number];
    return r.what == State::Holds::half && isMoved(to, r.of);
}

/// All at once: first to registers that no other one still waits for; the rest go round in circles.
void Avx2Assembler::moveRegisters(std::array<std::uint8_t, 16> from) {
    const auto isRead = [&](std::size_t number) {
        return std::ranges::find(from, static_cast<std::uint8_t>(number)) != from.end();
    };
    for (std::size_t n = 0; n < from.size(); ++n)
        if (from[n] == n) from[n] = HostState::kNowhere;
    for (bool moved = true; moved;) {
        moved = false;
        for (std::size_t n = 0; n < from.size(); ++n) {
            if (from[n] == HostState::kNowhere || isRead(n)) continue;
            put(Inst::kIdVmovdqa, Ymm(static_cast<std::uint32_t>(n)), Ymm(from[n]));
            from[n] = HostState::kNowhere;
            moved = true;
        }
        const auto* const left = std::ranges::find_if(from, [](std::uint8_t in) { return in != HostState::kNowhere; });
        if (moved || left == from.end()) continue;
        const auto first = static_cast<std::uint8_t>(left - from.begin());
        put(Inst::kIdVmovdqa, kA, Ymm(first));
        std::ranges::replace(from, first, static_cast<std::uint8_t>(kA.id()));
        moved = true;
    }
}

/// Whether nothing has to be moved.
bool Avx2Assembler::isAlike(const State& to) const {
    for (std::uint32_t h = 0; h < HostState::kHalves; ++h)
        if (isMoved(to, h) && !isAlike(state_, to, h)) return false;
    return true;
}
/// Whether one half is where it is there.
bool Avx2Assembler::isAlike(const State& from, const State& to, std::uint32_t half) noexcept {
    if (to.in[half] != HostState::kNowhere && to.in[half] != from.in[half]) return false;
    return to.isDirty(half) || (!from.isDirty(half) && from.memory[half] == to.memory[half]);
}

/// Memory holds the half as it does there; false if it cannot: nobody writes constants.
bool Avx2Assembler::makeMemoryAlike(const State& to, std::uint32_t half) {
    storeHalf(half);
    if (state_.memory[half] == to.memory[half]) return true;
    if (to.memory[half] != 0 && !HostState::isOfThread(to.memory[half])) return false;
    std::uint32_t from = state_.in[half];
    if (from == HostState::kNowhere) {
        put(Inst::kIdVmovdqu, kA, home(half, 32));
        from = kA.id();
    }
    state_.memory[half] = to.memory[half];
    put(Inst::kIdVmovdqu, home(half, 32), Ymm(from));
    return true;
}

/// Code that is reached from elsewhere, if at all.
void Avx2Assembler::beginAnew() {
    state_ = {};
    state_.in.fill(HostState::kNowhere);
    state_.live = ~0ull;
    release();
    for (State::Mask& m : state_.masks) m = {.value = ++values_, .live = true};
}

/// Behind a label another way may come that has other masks and values.
void Avx2Assembler::normalizeMasks() {
    release();
    for (std::uint32_t k = 0; k < state_.masks.size(); ++k) {
        State::Mask& m = state_.masks[k];
        if (m.live) storeMask(k);
    }
    for (State::Mask& m : state_.masks) m = {.value = ++values_, .bits = m.bits, .live = m.live};
    state_.clearLanes();
    state_.general = {};
    state_.range = {};
}

}  // namespace zetl::emulator::translate
