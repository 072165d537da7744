#include "emulator/machine/model/subslice.h"

#include <algorithm>
#include <bit>

#include "emulator/machine/model/prefetch.h"
#include "emulator/machine/model/share.h"

namespace zetl::emulator::machine {
namespace {

using Kind = LineKind;

constexpr std::uint64_t kByte = 0xff;
constexpr std::uint32_t kByteBits = 8;

constexpr std::uint64_t kLongest = std::uint64_t{1} << 48;  // cycles of a thread beyond its trace

constexpr bool works(Port port) noexcept { return port <= Port::matrix; }

/// The number of cycles of [begin, end) that are before `until`.
std::uint64_t overlap(std::uint64_t begin, std::uint64_t end, std::uint64_t until) noexcept {
    return std::min(end, std::max(until, begin)) - begin;
}

}  // namespace

std::uint8_t Subslice::Residents::add() noexcept {
    const auto number = static_cast<std::uint8_t>(std::countr_one(taken));
    taken |= 1u << number;
    order |= std::uint64_t{number} << (count++ * kByteBits);
    return number;
}

void Subslice::Residents::remove(std::uint32_t number) noexcept {
    std::uint32_t rank = 0;
    while ((order >> (rank * kByteBits) & kByte) != number) ++rank;
    moveBack(rank, number);
    order &= ~(kByte << (--count * kByteBits));
    taken &= ~(1u << number);
    ready[number] = kBlocked;
}

inline void Subslice::Residents::moveBack(std::uint32_t rank, std::uint32_t number) noexcept {
    const std::uint64_t before = (std::uint64_t{1} << (rank * kByteBits)) - 1;
    const std::uint64_t behind = order >> (rank * kByteBits) >> kByteBits << (rank * kByteBits);
    order = (order & before) | behind | std::uint64_t{number} << ((count - 1) * kByteBits);
}

Subslice::Subslice(Common& common, std::uint32_t index, std::span<ThreadRun> threads)
    : common_(common),
      profile_(common.profile),
      index_(index),
      memory_(common.memory),
      unitFree_(memory_.unitFree(index)),
      tally_(common.tally),
      engines_(profile_.eusPerSubslice),
      threads_(threads),
      slmFree_(profile_.slmBytes) {}

Subslice::Subslice(const Subslice& other, Common& common, std::span<ThreadRun> threads)
    : common_(common),
      profile_(common.profile),
      index_(other.index_),
      memory_(common.memory),
      unitFree_(memory_.unitFree(index_)),
      tally_(common.tally),
      reserve_(other.reserve_),
      engines_(other.engines_),
      threads_(threads),
      slmFree_(other.slmFree_),
      roomSince_(other.roomSince_),
      next_(other.next_),
      finished_(other.finished_),
      unknown_(other.unknown_) {
    copyGroups(other);
}

void Subslice::copyGroups(const Subslice& other) {
    for (const auto& group : other.running_) {
        Group& copy = *running_.emplace_back(std::make_unique<Group>(*group));
        for (const Place place : copy.places) {
            if (place.gone()) continue;
            engines_[place.engine].residents.group[place.thread] = &copy;
            const ThreadRun& thread = other.threads_[place.engine * kMostThreads + place.thread];
            threadAt(place).become(thread, copy.barrier, tally_.stalls);
        }
    }
}

void Subslice::prepareThreads() const noexcept {
    if (next_ == kNever) return;
    const auto* const first = reinterpret_cast<const std::byte*>(threads_.data());
    for (std::size_t at = 0; at < threads_.size() * sizeof(ThreadRun); at += kHostLine) prefetch(first + at);
}

void Subslice::prepareTraces() const noexcept {
    for (std::size_t engine = 0; engine < engines_.size(); ++engine)
        for (std::uint32_t taken = engines_[engine].residents.taken; taken != 0; taken &= taken - 1)
            threads_[engine * kMostThreads + static_cast<std::size_t>(std::countr_zero(taken))].prepare();
}

void Subslice::findNext() noexcept {
    next_ = kNever;
    for (const Engine& engine : engines_) next_ = std::min(next_, engine.next);
}

/// An empty sub-slice takes any group: what needs more than there is was refused at launch.
void Subslice::findRoom(std::uint64_t time) noexcept {
    std::uint32_t room = 0;
    for (const Engine& engine : engines_) room += (profile_.threadsPerEu - engine.slots) / common_.need.slots;
    const bool fits = running_.empty() || (room >= common_.need.threads && slmFree_ >= common_.need.slmBytes);
    roomSince_ = fits ? time : kNever;
}

void Subslice::begin(const GroupTrace& trace) {
    const std::uint64_t time = roomSince_;
    Group& group = *running_.emplace_back(std::make_unique<Group>(trace));
    slmFree_ -= std::min(slmFree_, common_.need.slmBytes);
    group.places.reserve(trace.threads.size());
    for (std::uint32_t i = 0; i < trace.threads.size(); ++i) load(group, i, time + i);
    findRoom(time);
    // Threads without a trace end at once, and the group ends with the last of them.
    for (std::size_t i = 0; i < group.places.size() && !unknown_; ++i) {
        const Place place = group.places[i];
        if (!place.gone() && threadAt(place).ended()) retire(place.engine, place.thread);
    }
    ended_.clear();
    findNext();
}

void Subslice::beginReserved() {
    while (!reserve_.empty() && roomSince_ != kNever && !unknown_) {
        const GroupTrace* const group = reserve_.front();
        reserve_.pop_front();
        if (group != nullptr) begin(*group);
    }
}

/// Puts a thread on the engine with the most room; one thread begins per cycle.
void Subslice::load(Group& group, std::uint32_t index, std::uint64_t time) {
    const auto engine = std::ranges::min_element(engines_, {}, &Engine::slots);
    const auto number = static_cast<std::size_t>(engine - engines_.begin());
    Residents& residents = engine->residents;
    if (residents.count == 0) engine->loadedSince = std::max(time, engine->activeUntil);
    const std::uint8_t thread = residents.add();
    residents.group[thread] = &group;
    residents.inGroup[thread] = static_cast<std::uint8_t>(index);
    group.places.push_back({static_cast<std::uint8_t>(number), thread});
    ThreadRun& run = threadAt(number, thread);
    run.begin(group.trace.threads[index], group.barrier, profile_.timing, tally_.stalls, time);
    unknown_ = unknown_ || run.state() == ThreadRun::State::unknown;
    if (run.ended()) ++group.idle;
    refresh(*engine, thread, run);
    engine->slots += common_.need.slots;
    engine->next = std::min(engine->next, time);
}

// In windows no longer than a barrier takes, so that engines reach what they share in about the order of time, and none
// is ahead of a barrier that another one opens.
void Subslice::run(std::uint64_t end) {
    for (beginReserved(); next_ < end && !stops(); beginReserved()) {
        const std::uint64_t until = std::min(end, next_ + profile_.timing.barrier);
        for (std::size_t engine = 0; engine < engines_.size(); ++engine)
            if (engines_[engine].next < until && !stops()) run(engine, until, end);
        ended_.clear();
        findNext();
    }
}

/// Runs to the end of the window, and beyond, up to `alone`, as long as no other engine is concerned.
void Subslice::run(std::size_t number, std::uint64_t end, std::uint64_t alone) {
    Engine& engine = engines_[number];
    for (;;) {
        const Choice choice = choose(engine);
        ThreadRun& thread = threadAt(number, choice.number);
        const bool kept = (engine.residents.kept >> choice.number & 1) != 0;
        const bool later =
            choice.time >= alone || (choice.time >= end && (kept || !(thread.plan().alone && goesOnAlone(engine))));
        if (later) {
            engine.next = choice.time;
            return;
        }
        if (kept) {
            leave(number, choice.number);
        } else if (thread.plan().alone) {
            work(engine, choice, thread.plan());
            thread.issue(choice.time);
            if (thread.state() == ThreadRun::State::runs) {
                engine.residents.await(choice.number, thread);
                continue;
            }
            settle(engine, choice.number, thread, {});
        } else {
            issue(engine, choice, thread);
        }
        if (unknown_) return;
        if (!kept && thread.ended()) retire(number, choice.number);
        if (stops()) {
            engine.next = engine.now;  // at the earliest
            return;
        }
    }
}

/// The thread that can issue first; of several, the one that has waited longest.
inline Subslice::Choice Subslice::choose(Engine& engine) const noexcept {
    constexpr int kRankBits = 3;
    const auto freeOf = [&](Port port) -> std::uint64_t& { return engine.portFree[static_cast<std::size_t>(port)]; };
    freeOf(kQueue) = std::max(freeOf(Port::message), memory_.accepts(unitFree_));
    const Residents& residents = engine.residents;
    if (residents.count == 1) {
        const std::size_t only = residents.order & kByte;
        const std::uint64_t time = std::max({residents.ready[only], freeOf(residents.gate[only]), engine.now});
        return {time < kBlocked ? time : kNever, 0, static_cast<std::uint32_t>(only)};
    }
    const auto keyAt = [&](std::uint32_t rank) {
        const std::size_t number = residents.order >> (rank * kByteBits) & kByte;
        const std::uint64_t time = std::max(residents.ready[number], freeOf(residents.gate[number]));
        return std::max(time, engine.now) << kRankBits | rank;
    };
    // Unused ranks show number 0: a thread with that number comes before them, and if there is none, it is blocked.
    std::uint64_t best = std::min(std::min(keyAt(0), keyAt(1)), std::min(keyAt(2), keyAt(3)));
    if (residents.count > 4)
        best = std::min(best, std::min(std::min(keyAt(4), keyAt(5)), std::min(keyAt(6), keyAt(7))));
    const std::uint64_t time = best >> kRankBits;
    if (time >= kBlocked) return {};
    const auto rank = static_cast<std::uint32_t>(best & ((1 << kRankBits) - 1));
    return {time, rank, static_cast<std::uint32_t>(residents.order >> (rank * kByteBits) & kByte)};
}

/// What the thread's next instruction needs.
inline void Subslice::Residents::await(std::size_t number, const ThreadRun& thread) noexcept {
    ready[number] = thread.ready();
    gate[number] = thread.plan().gate;
}

void Subslice::refresh(Engine& engine, std::size_t number, const ThreadRun& thread) noexcept {
    if (thread.state() == ThreadRun::State::runs)
        engine.residents.await(number, thread);
    else
        engine.residents.ready[number] = kBlocked;
}

/// Issues a message or an instruction that waits at a barrier. Does nothing if there is no room for the message yet: it
/// will be tried again.
void Subslice::issue(Engine& engine, const Choice& choice, ThreadRun& thread) {
    const IssuePlan& plan = thread.plan();
    if (plan.kind == Kind::memory) thread.hold(memory_.accepts(unitFree_));
    work(engine, choice, plan);
    const auto first = static_cast<std::uint32_t>(&engine - engines_.data()) * profile_.threadsPerEu;
    const std::uint32_t slot = index_ * profile_.threadsPerSubslice() + first + choice.number;
    const bool opened = thread.issue(choice.time, answer(thread, slot, choice.time));
    settle(engine, choice.number, thread, {plan.kind == Kind::barrierSignal, opened});
}

/// Called after it issued an instruction.
inline void Subslice::settle(Engine& engine, std::uint32_t number, const ThreadRun& thread, Signal signal) {
    if (thread.state() == ThreadRun::State::runs && !signal.made) return engine.residents.await(number, thread);
    unknown_ = thread.state() == ThreadRun::State::unknown;
    if (unknown_) return;
    refresh(engine, number, thread);
    Group& group = *engine.residents.group[number];
    if (thread.blocked()) ++engine.blocked;
    if (thread.ended() || thread.blocked()) ++group.idle;
    if (signal.opened || ((signal.made || thread.blocked()) && group.stuck())) wake(group);
}

/// When the result of the instruction is available, unless it is arithmetic.
std::uint64_t Subslice::answer(ThreadRun& thread, std::uint32_t slot, std::uint64_t time) {
    switch (thread.plan().kind) {
        case Kind::memory:
            return answerAccess(thread, slot, time);
        case Kind::fence:
            return time + profile_.timing.fence;
        case Kind::otherMessage:
            return time + profile_.timing.otherMessage;
        default:
            return time;
    }
}

std::uint64_t Subslice::answerAccess(ThreadRun& thread, std::uint32_t slot, std::uint64_t time) {
    TracedAccess access;
    if (!thread.takeAccess(access)) return time + profile_.timing.otherMessage;
    return memory_.serve({index_, slot}, time, access, thread.plan().wide);
}

/// The port is taken, and the engine's pipes work.
inline void Subslice::work(Engine& engine, const Choice& choice, const IssuePlan& plan) noexcept {
    const std::uint64_t time = choice.time;
    const std::uint64_t end = time + plan.slots;
    const auto until = [&](Port port) { return engine.portFree[static_cast<std::size_t>(port)]; };
    if (const std::uint64_t other = until(plan.besideInteger); other > time)
        tally_.realAndInteger += overlap(time, end, other);
    if (const std::uint64_t other = until(plan.besideMatrix); other > time)
        tally_.realAndMatrix += overlap(time, end, other);
    if (works(plan.port)) {
        if (engine.pipeUntil > time) {
            const std::uint64_t both = std::min(end, engine.pipeUntil);
            tally_.severalPipes += both - std::min(std::max(engine.severalUntil, time), both);
            engine.severalUntil = std::max(engine.severalUntil, both);
        }
        engine.pipeUntil = std::max(engine.pipeUntil, end);
    }
    tally_.active += end - std::min(std::max(engine.activeUntil, time), end);
    engine.activeUntil = std::max(engine.activeUntil, end);
    engine.portFree[static_cast<std::size_t>(plan.port)] = end;
    engine.now = time;
    if (engine.residents.count > 1) engine.residents.moveBack(choice.rank, choice.number);
}

/// Lets waiting threads of the group go on if they can; if no other thread can, they need not wait.
void Subslice::wake(Group& group) {
    const bool stuck = group.stuck();
    std::uint64_t latest = 1;
    const auto waits = [&](Place place) { return !place.gone() && threadAt(place).blocked(); };
    for (const Place place : group.places)
        if (waits(place)) latest = std::max(latest, threadAt(place).ready());
    for (const Place place : group.places)
        if (waits(place)) wake(group, place, stuck ? latest : 0);
}

void Subslice::wake(Group& group, Place place, std::uint64_t forced) {
    ThreadRun& thread = threadAt(place);
    thread.wake();
    if (thread.blocked() && forced != 0) thread.wake(forced);
    if (thread.blocked()) return;
    --group.idle;
    Engine& engine = engines_[place.engine];
    --engine.blocked;
    refresh(engine, place.thread, thread);
    engine.next = std::min(engine.next, std::max(thread.ready(), engine.now));
}

/// A thread whose trace was cut keeps its place for as long as what it executed beyond the trace takes at the rate of
/// what is in it.
bool Subslice::keeps(Engine& engine, std::uint32_t number) {
    ThreadRun& thread = threadAt(static_cast<std::size_t>(&engine - engines_.data()), number);
    const Group& group = *engine.residents.group[number];
    const ThreadTrace& trace = group.trace.threads[engine.residents.inGroup[number]];
    if (trace.complete() || thread.program() == nullptr) return false;
    const std::uint64_t replayed = trace.instructions();
    if (replayed == 0 || trace.executed <= replayed) return false;
    const std::uint64_t elapsed = thread.end() - thread.begin();
    const std::uint64_t beyond = trace.executed - replayed;
    const std::uint64_t more = std::min(share(elapsed, beyond, replayed), kLongest);
    memory_.extrapolate(beyond, tally_.issued());
    tally_.extrapolate(beyond, more, *thread.program());
    engine.residents.kept |= 1u << number;
    engine.residents.ready[number] = thread.end() + more;
    engine.residents.gate[number] = kNoPort;
    return true;
}

/// The thread takes part in nothing any more.
void Subslice::retire(std::size_t number, std::uint32_t resident) {
    Engine& engine = engines_[number];
    Group& group = *engine.residents.group[resident];
    group.barrier.leave();
    if (!keeps(engine, resident)) return leave(number, resident);
    engine.next = std::min(engine.next, engine.residents.ready[resident]);
    wake(group);
}

/// The thread gives its place away.
void Subslice::leave(std::size_t number, std::uint32_t resident) {
    Engine& engine = engines_[number];
    ThreadRun& thread = threadAt(number, resident);
    if ((engine.residents.kept >> resident & 1) != 0) thread.stay(engine.residents.ready[resident]);
    engine.residents.kept &= ~(1u << resident);
    Group& group = *engine.residents.group[resident];
    const std::uint64_t time = thread.end();
    tally_.occupied += time - thread.begin();
    group.places[engine.residents.inGroup[resident]].thread = Place::kGone;
    engine.slots -= common_.need.slots;
    finished_ = std::max(finished_, time);
    engine.residents.remove(resident);
    if (engine.residents.count == 0) unload(engine, time);
    if (--group.loaded == 0)
        end(group, finished_);
    else
        wake(group);
}

void Subslice::unload(Engine& engine, std::uint64_t time) noexcept {
    const std::uint64_t until = std::max(time, engine.activeUntil);
    tally_.busy += until - std::min(until, engine.loadedSince);
    engine.activeUntil = until;
    finished_ = std::max(finished_, until);
}

std::uint64_t Subslice::addLoaded(ReplayTally& tally) const noexcept {
    std::uint64_t latest = finished_;
    for (std::size_t number = 0; number < engines_.size(); ++number) {
        const Engine& engine = engines_[number];
        std::uint64_t last = 0;
        for (std::uint32_t taken = engine.residents.taken; taken != 0; taken &= taken - 1) {
            const auto resident = static_cast<std::size_t>(std::countr_zero(taken));
            const ThreadRun& thread = threads_[number * kMostThreads + resident];
            tally.occupied += thread.end() - thread.begin();
            if (thread.end() != thread.begin()) last = std::max(last, thread.end());
        }
        if (last == 0) continue;
        const std::uint64_t until = std::max(last, engine.activeUntil);
        tally.busy += until - std::min(until, engine.loadedSince);
        latest = std::max(latest, until);
    }
    return latest;
}

void Subslice::end(Group& group, std::uint64_t time) {
    slmFree_ = std::min(profile_.slmBytes, slmFree_ + common_.need.slmBytes);
    const auto found = std::ranges::find(running_, &group, &std::unique_ptr<Group>::get);
    common_.ended.push_back(&group.trace);
    memory_.groupEnded(time);
    ended_.push_back(std::move(*found));
    running_.erase(found);
    if (roomSince_ == kNever) findRoom(time);
}

}  // namespace zetl::emulator::machine
