#include "emulator/machine/model/subslice.h"

#include <algorithm>

namespace zetl::emulator::machine {
namespace {

using Kind = LineSchedule::Kind;

constexpr bool works(Port port) noexcept { return port <= Port::matrix; }

/// Cycles of [begin, end) before `until`.
std::uint64_t overlap(std::uint64_t begin, std::uint64_t end, std::uint64_t until) noexcept {
    return std::min(end, std::max(until, begin)) - begin;
}

}  // namespace

Subslice::Subslice(const DeviceProfile& profile, std::uint32_t index, MemorySystem& memory, LineStalls& stalls,
                   Counts& counts)
    : profile_(profile),
      index_(index),
      memory_(memory),
      stalls_(stalls),
      counts_(counts),
      engines_(profile.eusPerSubslice),
      slmFree_(profile.slmBytes) {}

void Subslice::add(const GroupTrace& group, const GroupNeed& need) {
    waiting_.push_back(std::make_unique<Group>(group, need));
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
    group.threads.reserve(group.trace.threads.size());
    for (std::uint32_t i = 0; i < group.trace.threads.size(); ++i) load(group, i, time + i);
    if (unknown_) return;
    // Threads of which there is no trace end at once, and with the last of them the group.
    for (std::size_t i = 0; i < group.engineOf.size(); ++i) {
        Engine& engine = engines_[group.engineOf[i]];
        const auto found = std::ranges::find(engine.residents, group.threads[i].get(), &Resident::thread);
        if (group.threads[i]->ended() && found != engine.residents.end()) retire(engine, *found);
    }
}

/// Puts a thread on the engine with the most room; they begin one a cycle.
void Subslice::load(Group& group, std::uint32_t index, std::uint64_t time) {
    const auto engine = std::ranges::min_element(engines_, {}, &Engine::slots);
    group.threads.push_back(
        std::make_unique<ThreadRun>(group.trace.threads[index], group.barrier, profile_.timing, stalls_, time));
    unknown_ = unknown_ || group.threads.back()->unknown();
    if (group.threads.back()->ended()) ++group.idle;
    group.engineOf.push_back(static_cast<std::uint32_t>(engine - engines_.begin()));
    if (engine->residents.empty()) engine->loadedSince = std::max(time, engine->activeUntil);
    engine->residents.push_back({group.threads.back().get(), &group, freeSlot(*engine)});
    engine->residents.back().refresh();
    engine->slots += group.need.slots;
    engine->next = std::min(engine->next, time);
}

/// The first that no thread on the engine has; scratch and private memory belong to it.
std::uint32_t Subslice::freeSlot(const Engine& engine) const noexcept {
    const auto number = static_cast<std::uint32_t>(&engine - engines_.data());
    std::uint32_t slot = index_ * profile_.threadsPerSubslice() + number * profile_.threadsPerEu;
    while (std::ranges::find(engine.residents, slot, &Resident::slot) != engine.residents.end()) ++slot;
    return slot;
}

void Subslice::run(std::uint64_t end) {
    if (next() >= end) return;
    for (Engine& engine : engines_)
        if (engine.next < end && !unknown_) run(engine, end);
    ended_.clear();
    findNext();
}

void Subslice::run(Engine& engine, std::uint64_t end) {
    for (;;) {
        std::uint64_t time = kNever;
        Resident* const resident = choose(engine, time);
        engine.next = time;
        if (resident == nullptr || time >= end) return;
        const bool issued = issue(engine, *resident, time);
        if (unknown_) return;
        if (issued && resident->thread->ended()) retire(engine, *resident);
        if (unknown_) return;  // of a group that began in its place
    }
}

/// Who can issue first; of several, who has waited longest.
Subslice::Resident* Subslice::choose(Engine& engine, std::uint64_t& time) noexcept {
    Resident* chosen = nullptr;
    for (Resident& resident : engine.residents) {
        if (resident.ready == kNever) continue;
        const std::uint64_t at =
            std::max({resident.ready, engine.portFree[static_cast<std::size_t>(resident.port)], engine.now});
        if (chosen != nullptr && (at > time || (at == time && resident.lastIssue >= chosen->lastIssue))) continue;
        chosen = &resident;
        time = at;
    }
    return chosen;
}

/// False: there is no room for its message yet.
bool Subslice::issue(Engine& engine, Resident& resident, std::uint64_t time) {
    ThreadRun& thread = *resident.thread;
    const LineSchedule& line = thread.line();
    if (line.kind == Kind::memory && memory_.accepts(index_) > time) {
        thread.hold(memory_.accepts(index_));
        resident.refresh();
        return false;
    }
    engine.now = time;
    work(engine, line, time);
    resident.lastIssue = time + 1;
    const bool signals = line.kind == Kind::barrierSignal;
    Group& group = *resident.group;
    ++replayed_;
    const bool opened = thread.issue(time, answer(resident, time));
    unknown_ = thread.unknown();
    if (unknown_) return true;
    resident.refresh();
    if (thread.ended() || thread.blocked()) ++group.idle;
    if (opened || ((signals || thread.blocked()) && group.stuck())) wake(group);
    return true;
}

/// When what the instruction asks for is there, unless it is arithmetic.
std::uint64_t Subslice::answer(const Resident& resident, std::uint64_t time) {
    const LineSchedule& line = resident.thread->line();
    switch (line.kind) {
        case Kind::memory:
            return answerAccess(resident, time);
        case Kind::fence:
            return time + profile_.timing.fence;
        case Kind::otherMessage:
            return time + profile_.timing.otherMessage;
        default:
            return time;
    }
}

std::uint64_t Subslice::answerAccess(const Resident& resident, std::uint64_t time) {
    TracedAccess access;
    if (!resident.thread->takeAccess(access)) return time + profile_.timing.otherMessage;
    return memory_.serve({index_, resident.slot}, time, access, resident.thread->line().wide);
}

/// The port is taken, and the engine's pipes work.
void Subslice::work(Engine& engine, const LineSchedule& line, std::uint64_t time) noexcept {
    const std::uint64_t end = time + line.slots;
    const auto until = [&](Port port) { return engine.portFree[static_cast<std::size_t>(port)]; };
    if (line.port == Port::real) {
        counts_[Counter::realAndIntegerCycles] += overlap(time, end, until(Port::integer));
        counts_[Counter::realAndMatrixCycles] += overlap(time, end, until(Port::matrix));
    }
    if (line.port == Port::integer) counts_[Counter::realAndIntegerCycles] += overlap(time, end, until(Port::real));
    if (line.port == Port::matrix) counts_[Counter::realAndMatrixCycles] += overlap(time, end, until(Port::real));
    if (works(line.port)) {
        const std::uint64_t both = time + overlap(time, end, engine.pipeUntil);
        counts_[Counter::severalPipesCycles] += both - std::clamp(engine.severalUntil, time, both);
        engine.severalUntil = std::max(engine.severalUntil, both);
        engine.pipeUntil = std::max(engine.pipeUntil, end);
    }
    counts_[Counter::activeCycles] += end - std::clamp(engine.activeUntil, time, end);
    engine.activeUntil = std::max(engine.activeUntil, end);
    engine.portFree[static_cast<std::size_t>(line.port)] = end;
}

/// Threads of the group that wait go on if they can; if nobody else can, they need not.
void Subslice::wake(Group& group) {
    const bool stuck = group.stuck();
    std::uint64_t latest = 1;
    for (const auto& thread : group.threads)
        if (thread->blocked()) latest = std::max(latest, thread->ready());
    for (std::size_t i = 0; i < group.threads.size(); ++i)
        if (group.threads[i]->blocked()) wake(group, i, stuck ? latest : 0);
}

void Subslice::wake(Group& group, std::size_t index, std::uint64_t forced) {
    ThreadRun& thread = *group.threads[index];
    thread.wake();
    if (thread.blocked() && forced != 0) thread.wake(forced);
    if (thread.blocked()) return;
    --group.idle;
    Engine& engine = engines_[group.engineOf[index]];
    const auto resident = std::ranges::find(engine.residents, &thread, &Resident::thread);
    if (resident != engine.residents.end()) resident->refresh();
    engine.next = std::min(engine.next, std::max(thread.ready(), engine.now));
}

void Subslice::retire(Engine& engine, Resident& resident) {
    ThreadRun& thread = *resident.thread;
    Group& group = *resident.group;
    const std::uint64_t time = thread.end();
    counts_[Counter::occupiedCycles] += time - thread.begin();
    group.barrier.leave();
    engine.slots -= group.need.slots;
    finished_ = std::max(finished_, time);
    engine.residents.erase(engine.residents.begin() + (&resident - engine.residents.data()));
    if (engine.residents.empty()) unload(engine, time);
    if (group.barrier.live() == 0)
        end(group, finished_);
    else
        wake(group);
}

void Subslice::unload(Engine& engine, std::uint64_t time) noexcept {
    const std::uint64_t until = std::max(time, engine.activeUntil);
    counts_[Counter::busyCycles] += until - std::min(until, engine.loadedSince);
    engine.activeUntil = until;
    finished_ = std::max(finished_, until);
}

void Subslice::pause() noexcept {
    for (Engine& engine : engines_) {
        std::uint64_t last = 0;
        for (const Resident& resident : engine.residents) {
            counts_[Counter::occupiedCycles] +=
                resident.lastIssue - std::min(resident.lastIssue, resident.thread->begin());
            last = std::max(last, resident.lastIssue);
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

}  // namespace zetl::emulator::machine
