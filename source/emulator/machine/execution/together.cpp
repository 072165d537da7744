#include "emulator/machine/execution/together.h"

#include <algorithm>

#include "emulator/isa/float_mode.h"
#include "emulator/isa/observe.h"
#include "emulator/machine/execution/lane.h"
#include "emulator/machine/execution/tile_runtime.h"
#include "emulator/machine/execution/work_group.h"
#include "emulator/machine/execution/worker.h"
#include "emulator/translate/translation.h"

namespace zetl::emulator::machine {

bool Together::takesSeveral() const noexcept {
    return lane_.beginning().group() != nullptr && refusals_ == 0 && !group_.tile().isDebugged();
}

std::uint32_t Together::run(GroupRound& round, std::uint32_t index) {
    const std::uint32_t next = runFrom(round, index);
    return next != index ? next : InOneState::run(round, index);
}

/// All threads of the group from this one on by one call of host code; not the last one if some of its lanes are off.
/// The first that it did not do.
std::uint32_t Together::runFrom(GroupRound& round, std::uint32_t index) {
    constexpr std::uint32_t kMostRefusals = 16;
    const std::uint32_t count = threads_.whole();
    const Beginning& beginning = lane_.beginning();
    if (index >= count || beginning.group() == nullptr || refusals_ == kMostRefusals) return index;
    const ThreadMask rest = firstThreads(count) & ~firstThreads(index);
    const ThreadMask able = threads_.live() & ~group_.stopped.load(std::memory_order_acquire) & threads_.unprepared();
    if ((able & rest) != rest || !lane_.fits(round.worker) || beginning.isWatched()) return index;
    const std::uint32_t threads = threads_.count();
    const translate::GroupWork left = call({.first = index, .threads = threads, .partial = threads - count});
    const std::uint32_t next = left.groups == 0 ? count : left.first;
    refusals_ = next == count ? 0 : refusals_ + 1;
    round.left -= std::int64_t{next - index} * beginning.group()->work;
    round.ran |= next != index;
    const ThreadMask others = rest & ~firstThreads(next);
    threads_.setLive(others | (threads_.live() & ~rest));
    threads_.setUnprepared(others | (threads_.unprepared() & ~rest));
    return next;
}

/// Threads of this group from the first on, and groups behind it, in the lane, by their host code.
translate::GroupWork Together::call(translate::GroupWork work) {
    return lane_.beginning().group()->observers.empty() ? runAll(work) : callObserved(work);
}

translate::GroupWork Together::runAll(translate::GroupWork work) {
    const translate::GroupCode& code = *lane_.beginning().group();
    isa::Thread& state = begin(work.first);
    if (!code.setsMode) isa::setFloatMode(state);
    code.run(state, work);
    return work;
}

isa::Thread& Together::begin(std::uint32_t index) {
    isa::Thread& state = lane_.beginAgain(index);
    state.at<std::uint32_t>(isa::layout::kControl) = 0;
    return state;
}

/// Those that observers let pass: whole groups, or those of the first one from its first on. Others run one by one.
translate::GroupWork Together::callObserved(translate::GroupWork work) {
    const std::uint32_t each = work.threads - work.partial;
    const std::uint32_t all = work.groups * each - work.first;
    const std::uint32_t end = work.first + passing(work, all);
    if (end == work.first + all) return runAll(work);
    if (end == work.first) return work;
    if (end < each) {
        runAll({.first = work.first, .threads = work.threads, .partial = work.threads - end});
        work.first = end;
        return work;
    }
    const std::uint32_t groups = end / each;
    translate::GroupWork left =
        runAll({.first = work.first, .threads = work.threads, .groups = groups, .partial = work.partial});
    left.groups += work.groups - groups;
    return left;
}

/// How many of so many threads, from the first on, need not be reported.
std::uint32_t Together::passing(const translate::GroupWork& work, std::uint32_t threads) {
    const translate::GroupCode& code = *lane_.beginning().group();
    addresses_.resize(threads * code.addresses);
    translate::GroupWork ahead = work;
    ahead.addresses = addresses_.data();
    isa::Thread& state = begin(work.first);
    if (!code.setsMode) isa::setFloatMode(state);
    code.foresee(state, ahead);
    const std::uint32_t each = work.threads - work.partial;
    const std::uint32_t foreseen = (work.groups - ahead.groups) * each + ahead.first - work.first;
    isa::GroupAccesses accesses{begin(work.first), code.accesses, addresses_, work.first, each, foreseen};
    for (isa::LineObserver* const observer : code.observers) {
        if (accesses.count != 0) accesses.count = observer->passes(accesses);
    }
    return accesses.count;
}

/// Nobody wants to see a thread, has changed the code or ends the dispatch since the lane began.
bool Together::isUndisturbed() const noexcept {
    return group_.halting.load(std::memory_order_relaxed) == 0 && !group_.dispatch().stopping() &&
           !group_.tile().isDebugged() && !lane_.beginning().isWatched() && lane_.beginning().isCurrent();
}

/// That follow in the first dimension and were taken, as many as leave soon enough who is wanted elsewhere.
std::uint32_t Together::groupsAtOnce(std::int64_t workOfEach) const noexcept {
    constexpr std::int64_t kWork = 1 << 13;
    const auto wanted = static_cast<std::uint64_t>(std::max<std::int64_t>(kWork / workOfEach, 1));
    return static_cast<std::uint32_t>(std::min(
        {wanted, group_.taken.end - group_.taken.next, std::uint64_t{group_.dispatch().groupsInLine(group_.id())}}));
}

/// Whether host code runs all threads of the groups to come.
bool Together::runsWhole(const Worker& worker) const {
    return lane_.beginning().group() != nullptr && refusals_ == 0 && !lane_.wasLeft() &&
           threads_.whole() == threads_.count() && lane_.fits(worker);
}

/// As long as host code does all of their threads, what start(), round() and next() would do for each is done once.
void Together::runTaken(Worker& worker, std::int64_t& budget) {
    if (group_.taken.empty() || budget <= 0 || !runsWhole(worker)) return;
    const std::uint32_t count = threads_.count();
    const std::int64_t ofThread = lane_.beginning().group()->work;
    std::uint32_t done = count;
    std::uint64_t groups = 0;
    threads_.allLive();
    while (!group_.taken.empty() && budget > 0 && done == count && isUndisturbed()) {
        group_.setId(group_.dispatch().groupAt(group_.taken.next));
        const std::uint32_t asked = groupsAtOnce(count * ofThread);
        const translate::GroupWork left = call({.threads = count, .groups = asked});
        const std::uint32_t ended = asked - left.groups;
        groups += ended;
        budget -= ended * (count * ofThread);
        group_.taken.next += ended;
        if (left.groups == 0) continue;
        group_.setId(group_.dispatch().groupAt(group_.taken.next++));
        done = left.first;
    }
    threads_.setLive(0);
    Tally& tally = group_.dispatch().tally(worker.index);
    tally.add(Counter::groups, groups);
    tally.add(Counter::threads, groups * count);
    if (done != count) {
        goOnIn(worker, done);
        budget -= std::int64_t{done} * ofThread;
    }
    lane_.countTraffic();
}

/// In a group of which host code did all threads in front of this one.
void Together::goOnIn(Worker& worker, std::uint32_t first) {
    group_.start(worker);
    const ThreadMask left = threads_.live() & ~firstThreads(first);
    threads_.setUnprepared(threads_.unprepared() & left);
    threads_.setLive(left);
}

}  // namespace zetl::emulator::machine
