// Jumps and labels. If only one way leads to a label, registers keep their content from the jump. If several ways meet,
// all halves are in memory, and each way stores the halves that the others do not have in registers; a way that ended
// with a jump back stores them before it. Values that are not read any more are not stored.
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
        if (target.block) {
            if (tested_) askTested(taken);
        } else if (target.bound) {
            if (tested_) storeMask(tested_->mask);
            changeTo(*target.state);
            if (tested_) askTested(taken);
            where = target.place;
        } else {
            if (always && !target.seldom) storeAll();
            if (tested_) askTested(taken);
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
    if (target.block) {
        beginAnew();
    } else {
        bindWays(target, label);
    }
    target.ways = {};  // they are large
    if (!target.place.isValid()) target.place = label;
    if (!code()->isLabelBound(label)) Assembler::bind(label);
    state_.reachable = true;
    normalizeMasks();
    target.bound = true;
    if (!target.block) target.state = std::make_unique<const State>(state_);
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

/// Memory of halves that is the same on all ways; nothing in registers.
Avx2Assembler::State Avx2Assembler::common(const Target& target) const {
    const State& first = state_.reachable ? state_ : target.ways.front().state;
    State met = first;
    for (std::uint32_t h = 0; h < HostState::kHalves; ++h) met.memory[h] = first.storedIn(h);
    met.reachable = true;
    for (std::uint32_t n = 0; n < met.registers.size(); ++n) met.clear(n);
    met.in.fill(HostState::kNowhere);
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
    return met;
}

bool Avx2Assembler::mustChange(const State& from, const State& to) const {
    for (std::uint32_t h = 0; h < HostState::kHalves; ++h) {
        if (!to.isLive(h)) continue;
        if (from.isDirty(h) || from.memory[h] != to.memory[h] || to.in[h] != HostState::kNowhere) return true;
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
    storeAll();
    if (!makeMemoryAlike(to)) failed_ = true;
    dropRegisters();
    for (std::uint32_t n = 0; n < to.registers.size(); ++n) {
        const State::Register& r = to.registers[n];
        if (r.what != State::Holds::half || !to.isLive(r.of) || !state_.isLive(r.of)) continue;
        put(Inst::kIdVmovdqu, Ymm(n), home(r.of, 32));
        own(n, r.of, r.dirty);
    }
    state_.general = {};
}

/// Whether nothing has to be moved.
bool Avx2Assembler::isAlike(const State& to) const {
    for (std::uint32_t h = 0; h < HostState::kHalves; ++h) {
        if (!to.isLive(h) || !state_.isLive(h)) continue;
        const auto in = state_.in[h];
        const bool held = in != HostState::kNowhere;
        const bool same = held && to.in[h] == in;
        if (state_.memory[h] != to.memory[h] || (to.in[h] != HostState::kNowhere && !same)) return false;
        if (held && state_.registers[in].dirty && !(same && to.registers[in].dirty)) return false;
    }
    return true;
}

bool Avx2Assembler::makeMemoryAlike(const State& to) {
    for (std::uint32_t h = 0; h < HostState::kHalves; ++h) {
        if (!to.isLive(h) || !state_.isLive(h) || state_.memory[h] == to.memory[h]) continue;
        if (to.in[h] != HostState::kNowhere && to.registers[to.in[h]].dirty) continue;  // what is there is not read
        if (to.memory[h] != 0) return false;
        std::uint32_t from = state_.in[h];
        if (from == HostState::kNowhere) {
            put(Inst::kIdVmovdqu, kA, home(h, 32));
            from = kA.id();
        }
        state_.memory[h] = 0;
        put(Inst::kIdVmovdqu, home(h, 32), Ymm(from));
    }
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
