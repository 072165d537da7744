#include "emulator/machine/model/subslice.h"

#include <algorithm>
#include <bit>

namespace zetl::emulator::machine {
namespace {

using Kind = LineKind;

constexpr std::uint64_t kByte = 0xff;
constexpr std::uint32_t kByteBits = 8;

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

Subslice::Subslice(const DeviceProfile& profile, std::uint32_t index, MemorySystem& memory, LineStalls& stalls,
                   std::span<ThreadRun> threads)
    : profile_(profile),
      index_(index),
      memory_(memory),
      unitFree_(memory.unitFree(index)),
      stalls_(stalls),
      engines_(profile.eusPerSubslice),
      threads_(threads),
      slmFree_(profile.slmBytes) {}

void Subslice::add(const GroupTrace& group, const GroupNeed& need) {
    waiting_.push_back(std::make_unique<Group>(group, need));
}

void Subslice::prepareThreads() const noexcept {
    if (next_ == kNever) return;
    const auto* const first = reinterpret_cast<const std::byte*>(threads_.data());
    for (std::size_t at = 0; at < threads_.size() * sizeof(ThreadRun); at += kHostLine)
        __builtin_prefetch(first + at, 1);
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

void Subslice::begin(std::uint64_t time) {
    finished_ = time;
    startGroups(time);
    findNext();
}

void Subslice::startGroups(std::uint64_t time) {
    while (!waiting_.empty() && !unknown_) {
        Group& group = *waiting_.front();
        std::uint32_t room = 0;
        for (const Engine& engine : engines_) room += (profile_.threadsPerEu - engine.slots) / group.need.slots;
        if (!running_.empty() && (room < group.need.threads || slmFree_ < group.need.slmBytes)) return;
        running_.push_back(std::move(waiting_.front()));
        waiting_.pop_front();
        start(*running_.back(), time);
    }
}

void Subslice::start(Group& group, std::uint64_t time) {
    slmFree_ -= std::min(slmFree_, group.need.slmBytes);
    group.places.reserve(group.trace.threads.size());
    for (std::uint32_t i = 0; i < group.trace.threads.size(); ++i) load(group, i, time + i);
    if (unknown_) return;
    // Threads without a trace end at once, and the group ends with the last of them.
    for (std::size_t i = 0; i < group.places.size(); ++i) {
        const Place place = group.places[i];
        if (!place.gone() && threadAt(place).ended()) retire(place.engine, place.thread);
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
    run.begin(group.trace.threads[index], group.barrier, profile_.timing, stalls_, time);
    unknown_ = unknown_ || run.state() == ThreadRun::State::unknown;
    if (run.ended()) ++group.idle;
    refresh(*engine, thread, run);
    engine->slots += group.need.slots;
    engine->next = std::min(engine->next, time);
}

// In windows no longer than a barrier takes, so that engines reach what they share in about the order of time, and none
// is ahead of a barrier that another one opens.
void Subslice::run(std::uint64_t end) {
    while (next_ < end && !unknown_) {
        const std::uint64_t until = std::min(end, next_ + profile_.timing.barrier);
        for (std::size_t engine = 0; engine < engines_.size(); ++engine)
            if (engines_[engine].next < until && !unknown_) run(engine, until, end);
        ended_.clear();
        findNext();
    }
}

/// Runs to the end of the window, and beyond, up to `alone`, as long as no other engine is concerned.
void Subslice::run(std::size_t number, std::uint64_t end, std::uint64_t alone) {
    Engine& engine = engines_[number];
    while (!unknown_) {
        const Choice choice = choose(engine);
        ThreadRun& thread = threadAt(number, choice.number);
        const bool stops =
            choice.time >= alone || (choice.time >= end && !(thread.plan().alone && goesOnAlone(engine)));
        if (stops) {
            engine.next = choice.time;
            return;
        }
        if (thread.plan().alone) {
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
        if (!unknown_ && thread.ended()) retire(number, choice.number);
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

void Subslice::retire(std::size_t number, std::uint32_t resident) {
    Engine& engine = engines_[number];
    const ThreadRun& thread = threadAt(number, resident);
    Group& group = *engine.residents.group[resident];
    const std::uint64_t time = thread.end();
    tally_.occupied += time - thread.begin();
    group.barrier.leave();
    group.places[engine.residents.inGroup[resident]].thread = Place::kGone;
    engine.slots -= group.need.slots;
    finished_ = std::max(finished_, time);
    engine.residents.remove(resident);
    if (engine.residents.count == 0) unload(engine, time);
    if (group.barrier.live() == 0)
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

void Subslice::pause() noexcept {
    for (std::size_t number = 0; number < engines_.size(); ++number) {
        Engine& engine = engines_[number];
        std::uint64_t last = 0;
        for (std::uint32_t taken = engine.residents.taken; taken != 0; taken &= taken - 1) {
            const auto resident = static_cast<std::size_t>(std::countr_zero(taken));
            const ThreadRun& thread = threadAt(number, resident);
            tally_.occupied += thread.end() - thread.begin();
            if (thread.end() != thread.begin()) last = std::max(last, thread.end());
        }
        if (last != 0) unload(engine, last);
    }
}

void Subslice::end(Group& group, std::uint64_t time) {
    slmFree_ = std::min(profile_.slmBytes, slmFree_ + group.need.slmBytes);
    const auto found = std::ranges::find(running_, &group, &std::unique_ptr<Group>::get);
    ended_.push_back(std::move(*found));
    running_.erase(found);
    startGroups(time);
}

void Subslice::addTo(Counts& counts) const noexcept {
    counts[Counter::activeCycles] += tally_.active;
    counts[Counter::busyCycles] += tally_.busy;
    counts[Counter::occupiedCycles] += tally_.occupied;
    counts[Counter::realAndIntegerCycles] += tally_.realAndInteger;
    counts[Counter::realAndMatrixCycles] += tally_.realAndMatrix;
    counts[Counter::severalPipesCycles] += tally_.severalPipes;
}

}  // namespace zetl::emulator::machine
