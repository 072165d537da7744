// Going back and forth, of history.h.
#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

#include "emulator/isa/observe.h"
#include "emulator/machine/code_heap.h"
#include "emulator/machine/execution/history.h"
#include "emulator/machine/execution/tile_runtime.h"
#include "emulator/machine/execution/work_group.h"
#include "emulator/machine/tools/watchpoints.h"

namespace zetl::emulator::machine {
namespace {

constexpr std::uint32_t kSuppress = 1u << 15;   // of cr0.0: the breakpoint there does not stop the thread
constexpr std::uint32_t kSingle = 1u << 31;     // of cr0.1: one instruction
constexpr std::uint64_t kAtOnce = 4'000'000;    // instructions that are repeated for one request
constexpr std::uint64_t kMostWanted = 1 << 20;  // bytes whose accesses are looked for
constexpr std::uint32_t kLongestStep = 16;      // instructions that are passed in one step
constexpr std::uint32_t kLongestWay = 1 << 16;  // instructions

std::uint32_t& control(isa::Thread& state, std::uint32_t word) noexcept {
    return state.at<std::uint32_t>(isa::layout::kControl + 4 * word);
}

}  // namespace

std::size_t History::momentBefore(std::uint64_t time) const noexcept {
    const auto after = std::ranges::upper_bound(moments_, time, {}, &Moment::time);
    return after == moments_.begin() ? 0 : static_cast<std::size_t>(after - moments_.begin()) - 1;
}

/// The present is kept as it is, to come back to it.
void History::leavePresent() {
    if (!live_) return;
    keepMoment(false);
    Moment& present = moments_.back();
    for (std::size_t place = 0; place < places_.size(); ++place) {
        present.groups[place].causes = places_[place]->causes;
        present.groups[place].shown = places_[place]->shown;
    }
    changed_ = false;
    live_ = false;
    base_ = moments_.size() - 1;
    entry_ = log_.size();
    offset_ = 0;
    temporary_.clear();
}

/// Threads are about to run, which they do from the present on: the past is there to be looked at.
void History::becomePresent() {
    if (live_ || launch_ == nullptr || broken_ != HistoryAnswer::Reason::none) return;
    toMoment(moments_.size() - 1);
    arrive();
}

/// Memory and threads are as they were at that moment.
void History::toMoment(std::size_t index) {
    bool done = temporary_.swap(table_);
    temporary_.clear();
    for (; done && base_ > index; --base_) done = moments_[base_ - 1].pages.swap(table_);
    for (; done && base_ < index; ++base_) done = moments_[base_].pages.swap(table_);
    if (!done) return give(HistoryAnswer::Reason::differs);
    const Moment& moment = moments_[index];
    for (const GroupMoment& group : moment.groups) group.group->putBack(group, worker_);
    now_ = moment.time;
    entry_ = moment.entry;
    wasWritten_ = false;
    offset_ = 0;
}

void History::attach(HardwareThread& thread) {
    isa::Thread& state = thread.state;
    thread.tally = &tally_;
    thread.attachedIn = thread.turn = 0;
    state.dropWindows();
    state.hostMode = nullptr;
    state.additions = nullptr;
    state.alone = true;
    state.common = nullptr;
    state.runs = tally_.runs(*thread.loaded);
}

bool History::isBreakpoint(const isa::Program& program, std::uint32_t ip) const {
    TileRuntime& tile = launch().tile();
    return program.hasBreakpoint(program.lineAt(ip)) && tile.device().code().stopsTile(ip, tile.index());
}

bool History::stopsAt(const HardwareThread& thread) const {
    const std::uint32_t ip = thread.state.ip();
    return isBreakpoint(*thread.loaded->program, ip) && !launch().tile().conditions().passes(thread, ip, false);
}

/// The last turn that began before that time and in which a thread may have come to a breakpoint.
std::optional<std::size_t> History::lastMeetingBreakpoint(std::uint64_t time) const {
    if (recorded_ == nullptr) return std::nullopt;
    CodeHeap& code = launch().tile().device().code();
    const LineSet stops = Footprints::lines(*recorded_, [&](std::uint32_t ip) {
        const LoadedProgram* const program = code.programAt(ip);
        return program != nullptr && isBreakpoint(*program->program, ip);
    });
    for (std::size_t i = log_.size(); i-- > 0 && log_[i].end() > beginning();)
        if (log_[i].isTurn() && log_[i].start < time && footprints_.mayTouch(log_[i].footprint, stops)) return i;
    return std::nullopt;
}

void History::advance(HardwareThread& thread, std::int64_t quantum, bool single) {
    isa::Thread& state = thread.state;
    control(state, 0) |= kSuppress;
    control(state, 1) &= ~kSingle;
    const Launch& kernel = launch().launch();
    if (single || thread.loadsArguments) {
        if (state.status == isa::Status::atBarrier) state.status = isa::Status::ready;
        control(state, 1) |= kSingle;
        isa::resume(state, 1, isa::Windows::kept);
        control(state, 1) &= ~kSingle;
    } else {
        isa::resume(state, quantum, isa::Windows::kept);
    }
    control(state, 0) &= ~kSuppress;
    control(state, 1) &= ~kSingle;
    if (state.status == isa::Status::breakpoint) state.status = isa::Status::ready;
    if (!thread.loadsArguments) return;
    const std::uint32_t ip = state.ip();
    thread.loadsArguments = ip >= kernel.kernelOffset && ip < kernel.kernelOffset + kernel.recordFrom;
    if (!thread.loadsArguments) std::memcpy(state.grf(0), &kernel.recordAt, sizeof kernel.recordAt);
}

/// The same with local memory hidden, so that each access to it fails. Returns whether one did: it is then to be
/// executed alone.
bool History::advanceHidden(HardwareThread& thread, std::int64_t quantum, bool single) {
    isa::Thread& state = thread.state;
    const auto local = std::exchange(state.local, {});
    advance(thread, quantum, single);
    state.local = local;
    if (state.status != isa::Status::faulted || state.fault.kind != isa::FaultKind::localOverrun) return false;
    const auto access = isa::accessOf(state, thread.loaded->program->lineAt(state.ip()));
    const bool counts = access && (access->write || wanted_->reads);
    if (counts) wanted_->touched |= lanesAt(*access, wanted_->begin, wanted_->end, isa::kLocalOffsetMask) != 0;
    state.retry();
    return true;
}

/// Repeats so many instructions of a turn, from where it is, and those behind them that take no step of their own.
/// Returns how many; 0: it cannot be repeated.
std::uint64_t History::repeatTurn(const Entry& entry, std::uint64_t count, const Visitor* visitor) {
    WorkGroup& group = *places_[entry.place];
    HardwareThread* const thread = group.thread(entry.thread);
    if (thread == nullptr || !group.started() || (group.live() & bit(entry.thread)) == 0) return 0;
    attach(*thread);
    turnStart_ = entry.start;
    isa::Thread& state = thread->state;
    const std::uint64_t first = state.executed - offset_;
    const std::uint64_t end = state.executed + count;
    const bool single = visitor != nullptr && visitor->wants && visitor->wants(entry);
    const bool atStops = visitor != nullptr && visitor->stopsAtBreakpoints;
    const bool hides = !single && wanted_ != nullptr && wanted_->place == entry.place;
    std::int64_t left = offset_ == 0 && count == entry.count ? entry.quantum : 0;
    bool alone = false;  // an access to hidden memory
    for (unsigned vain = 0; state.executed < end;) {
        const std::uint64_t was = state.executed;
        const std::uint64_t time = entry.start + (was - first);
        if (single || (atStops && stopsAt(*thread))) visitor->before(entry, *thread, time);
        const std::uint64_t straight = thread->loaded->program->lineCount();  // at most: the quantum ends at a branch
        const bool isNear = end - was <= straight;
        const bool isOne = single || alone || (left <= 0 && isNear);
        const std::int64_t most = isOne ? 1 : left > 0 ? left : static_cast<std::int64_t>(end - was - straight);
        if (hides && !alone) {
            alone = advanceHidden(*thread, most, isOne);
        } else {
            advance(*thread, most, isOne);
            alone = false;
        }
        left -= static_cast<std::int64_t>(state.executed - was) + state.charged;
        if (single && visitor->after) visitor->after(entry, *thread, time);
        vain = state.executed == was ? vain + 1 : 0;
        if (state.executed - first > entry.count || vain > 3) return 0;
        if (state.executed < end && !group.settleAgain(*thread)) return 0;
        if (state.status == isa::Status::done && state.executed < end) return 0;
    }
    group.settleAgain(*thread);
    return state.executed - first - offset_;
}

/// From here to that time, or to the end of the log.
void History::repeat(std::uint64_t until, const Visitor* visitor) {
    worker_.reader.enter();
    while (entry_ < log_.size() && !differs_ && broken_ == HistoryAnswer::Reason::none) {
        const Entry entry = log_[entry_];
        if (!entry.isTurn()) {
            if (entry.start > until) break;
            WorkGroup& group = *places_[entry.place];
            if (entry.thread == kBegin)
                group.beginAgain(launch().groupAt(entry.group), worker_);
            else
                group.waitAgain();
            ++entry_;
            continue;
        }
        const std::uint64_t wanted = std::min(entry.count - offset_, until - std::min(until, now_));
        if (wanted == 0) break;
        const std::uint64_t count = repeatTurn(entry, wanted, visitor);
        if (count == 0) {
            differs_ = true;
            break;
        }
        if (wanted_ != nullptr && std::exchange(wanted_->touched, false) && entry_ >= wanted_->since)
            touchedBy_ = entry_;
        now_ += count;
        offset_ += count;
        if (offset_ < entry.count) break;
        offset_ = 0;
        ++entry_;
    }
    worker_.reader.leave();
}

/// Towards that time, repeating at most so many instructions.
void History::go(std::uint64_t time, std::uint64_t most) {
    leavePresent();
    time = std::clamp(time, beginning(), ending());
    const std::size_t index = time == ending() ? moments_.size() - 1 : momentBefore(time);
    const bool isOnTheWay = index == base_ && now_ <= time && moments_[index].time != time && !wasWritten_;
    if (!isOnTheWay) toMoment(index);
    if (broken_ == HistoryAnswer::Reason::none) repeat(std::min(time, now_ + most));
}

/// What no turn of the log has begun yet begins, so that every thread can be looked at.
void History::arrive() {
    if (broken_ != HistoryAnswer::Reason::none) return;
    worker_.reader.enter();
    for (std::size_t place = 0; place < places_.size(); ++place) {
        WorkGroup& group = *places_[place];
        if (group.waitsForOthers() || (group.started() && group.live() != 0)) continue;
        const auto ahead = std::find_if(log_.begin() + static_cast<std::ptrdiff_t>(entry_), log_.end(),
                                        [&](const Entry& entry) { return entry.place == place && !entry.isTurn(); });
        if (ahead != log_.end() && ahead->thread == kEnd) {
            group.waitAgain();
            continue;
        }
        group.beginAgain(ahead != log_.end() ? launch().groupAt(ahead->group) : moments_.back().groups[place].id,
                         worker_);
    }
    worker_.reader.leave();
    const bool isPresent = now_ == ending() && base_ + 1 == moments_.size();
    for (std::size_t place = 0; place < places_.size(); ++place) {
        if (isPresent)
            places_[place]->stopAs(moments_.back().groups[place]);
        else
            places_[place]->stopAll();
    }
    if (!isPresent) return;
    live_ = true;
    changed_ = true;
}

bool History::areStopped() const {
    return std::ranges::all_of(places_, [](const WorkGroup* group) ZETL_REQUIRES(kTurns) {
        return group->state != WorkGroup::State::running && (group->live() & ~group->stopped.load()) == 0;
    });
}

std::optional<std::pair<std::uint32_t, std::uint32_t>> History::threadAt(std::uint32_t slot) const {
    for (std::uint32_t place = 0; place < places_.size(); ++place) {
        const auto& slots = places_[place]->placement().slots;
        const auto found = std::ranges::find(slots, slot);
        if (found != slots.end()) return std::pair{place, static_cast<std::uint32_t>(found - slots.begin())};
    }
    return {};
}

/// When the thread's last instruction but `back - 1` before that time began, as far as its group goes back.
std::optional<std::uint64_t> History::lastOf(std::uint32_t slot, std::uint64_t before, std::uint64_t back) const {
    const auto thread = threadAt(slot);
    if (!thread) return {};
    std::optional<std::uint64_t> found;
    for (std::size_t i = log_.size(); i-- > 0;) {
        const Entry& entry = log_[i];
        if (entry.place != thread->first || entry.start > before || (entry.start == before && entry.isTurn())) continue;
        if (!entry.isTurn() && (i < entry_ || live_)) break;  // its group began
        if (entry.thread != thread->second) continue;
        const std::uint64_t count = std::min(entry.end(), before) - entry.start;
        if (entry.end() <= beginning()) break;
        const std::uint64_t here = std::min(count, back);
        found = entry.start + count - here;
        back -= here;
        if (back == 0) break;
    }
    if (found) found = std::max(*found, beginning());
    return found;
}

std::optional<std::uint64_t> History::nextOf(std::uint32_t slot) const {
    const auto thread = threadAt(slot);
    if (!thread || live_) return {};
    for (std::size_t i = entry_; i < log_.size(); ++i) {
        const Entry& entry = log_[i];
        if (entry.place != thread->first) continue;
        if (!entry.isTurn()) break;
        if (entry.thread == thread->second) return std::max(entry.start, now_) + 1;
    }
    return {};
}

/// The entry of the log with which the group began that was in the place before that time; 0: with the log.
std::size_t History::beginOf(std::uint32_t place, std::uint64_t before) const {
    for (std::size_t i = log_.size(); i-- > 0;)
        if (log_[i].place == place && log_[i].thread == kBegin && log_[i].start < before) return i;
    return 0;
}

void History::findHit(const HistoryRequest& request, HistoryAnswer& answer) {
    answer.status = static_cast<std::uint32_t>(HistoryAnswer::Status::absent);
    answer.found = beginning();
    if (request.time <= beginning()) return;
    leavePresent();
    const auto last = lastMeetingBreakpoint(request.time);
    if (!last) return;
    const std::uint64_t start = log_[*last].start;
    const std::uint64_t end = std::min(request.time, log_[*last].end());
    const std::size_t index = momentBefore(start);
    answer.found = moments_[index].time;
    std::optional<std::uint64_t> found;
    Visitor visitor;
    visitor.stopsAtBreakpoints = true;
    visitor.before = [&](const Entry&, HardwareThread& thread, std::uint64_t time) {
        if (time >= request.time) return;
        found = time;
        answer.slot = thread.slot;
    };
    toMoment(index);
    // A condition is often false in the last turn; then the earlier ones are wanted, too.
    const bool wantsAll = launch().tile().conditions().isAny();
    if (!wantsAll) repeat(start);
    repeat(end, &visitor);
    if (!found && !wantsAll) {  // it did not come to the breakpoint there
        toMoment(index);
        repeat(start, &visitor);
    }
    if (!found) return;
    answer.status = static_cast<std::uint32_t>(HistoryAnswer::Status::ok);
    answer.found = *found;
    go(*found, ~std::uint64_t{0} >> 1);
}

void History::findNextHit(const HistoryRequest& request, HistoryAnswer& answer) {
    answer.status = static_cast<std::uint32_t>(HistoryAnswer::Status::absent);
    answer.found = ending();
    if (live_) return;
    std::optional<std::uint64_t> found;
    Visitor visitor;
    visitor.stopsAtBreakpoints = true;
    visitor.before = [&](const Entry&, HardwareThread& thread, std::uint64_t time) {
        if (found || time <= request.time) return;
        found = time;
        answer.slot = thread.slot;
    };
    const std::size_t next = base_ + 1 < moments_.size() ? base_ + 1 : base_;
    const std::uint64_t until = moments_[next].time;
    repeat(until, &visitor);
    answer.found = until;
    if (found) {
        answer.status = static_cast<std::uint32_t>(HistoryAnswer::Status::ok);
        answer.found = *found;
        return go(*found, ~std::uint64_t{0} >> 1);
    }
    if (until < ending()) answer.status = static_cast<std::uint32_t>(HistoryAnswer::Status::moves);
    toMoment(next);
}

/// Looks between one moment and the next; the debugger asks for the interval before that.
void History::findAccess(const HistoryRequest& request, HistoryAnswer& answer) {
    answer.status = static_cast<std::uint32_t>(HistoryAnswer::Status::absent);
    answer.found = beginning();
    const bool isRange = request.bytes - 1 < kMostWanted && request.address + request.bytes > request.address;
    if (request.time <= beginning() || !isRange) return;
    leavePresent();
    const std::size_t index = momentBefore(request.time - 1);
    answer.found = moments_[index].time;
    const std::uint64_t end = request.address + request.bytes;
    Wanted wanted{.begin = request.address, .end = end, .reads = request.isRead != 0};
    if (request.isLocal != 0) {
        const auto owner = threadAt(request.slot);
        if (!owner) return;
        wanted.place = owner->first;
        wanted.since = beginOf(owner->first, request.time);
        if (wanted.since >= moments_[index].entry) answer.found = beginning();
    }
    bool mayBe = !wanted.isGlobal() || wanted.reads || (index == base_ && !temporary_.empty());
    for (std::uint64_t page = PageRecord::pageOf(request.address); page <= PageRecord::pageOf(end - 1); ++page)
        mayBe |= moments_[index].pages.has(page);
    if (!mayBe) return;
    toMoment(index);
    wanted_ = &wanted;
    touchedBy_ = log_.size();
    repeat(request.time);
    wanted_ = nullptr;
    const std::size_t by = touchedBy_;
    if (by == log_.size() || broken_ != HistoryAnswer::Reason::none) return;
    std::optional<std::uint64_t> found;
    isa::MemoryAccess access;
    bool isAccess = false;
    Visitor visitor;
    visitor.wants = [&](const Entry& entry) { return wanted.isGlobal() || entry.place == *wanted.place; };
    visitor.before = [&](const Entry&, HardwareThread& thread, std::uint64_t) {
        thread.state.dropWindows();
        wanted.touched = false;
        const auto made = isa::accessOf(thread.state, thread.loaded->program->lineAt(thread.state.ip()));
        isAccess = made.has_value();
        if (isAccess) access = *made;
    };
    visitor.after = [&](const Entry&, HardwareThread& thread, std::uint64_t time) {
        if (time >= request.time || (isAccess && !access.write && request.isRead == 0)) return;
        const bool isThere = isAccess && (access.space == zetl::isa::xe::MemorySpace::local) == (request.isLocal != 0);
        const std::uint64_t mask = request.isLocal != 0 ? isa::kLocalOffsetMask : ~std::uint64_t{0};
        const std::uint32_t lanes = isThere ? lanesAt(access, request.address, end, mask) : 0;
        if (lanes == 0 && !wanted.touched) return;
        found = time;
        answer.slot = thread.slot;
        answer.lanes = lanes;
        answer.isWrite = isAccess && access.write;
    };
    toMoment(index);
    repeat(log_[by].start);
    wanted_ = &wanted;
    repeat(std::min(request.time, log_[by].end()), &visitor);
    wanted_ = nullptr;
    if (!found) return;
    answer.status = static_cast<std::uint32_t>(HistoryAnswer::Status::ok);
    answer.found = *found;
    go(*found, ~std::uint64_t{0} >> 1);
}

std::vector<HistoryStep> History::wayOf(const HistoryRequest& request) {
    std::vector<HistoryStep> way;
    const std::uint64_t present = now_;
    const auto from = lastOf(request.slot, present, std::min(request.count, kLongestWay));
    const auto thread = threadAt(request.slot);
    if (!from || !thread) return way;
    leavePresent();
    Visitor visitor;
    visitor.wants = [&](const Entry& entry) { return entry.place == thread->first && entry.thread == thread->second; };
    visitor.before = [&](const Entry&, HardwareThread& one, std::uint64_t time) {
        if (way.empty() || way.back().time != time) way.push_back({time, one.state.ip()});
    };
    toMoment(momentBefore(*from));
    repeat(*from);
    repeat(present, &visitor);
    go(present, ~std::uint64_t{0} >> 1);
    return way;
}

void History::answerTo(const HistoryRequest& request, std::span<const MarkedCode> code, HistoryReport& report) {
    using Kind = HistoryRequest::Kind;
    using Status = HistoryAnswer::Status;
    HistoryAnswer& answer = report.answer;
    const auto say = [&](const std::optional<std::uint64_t>& found) {
        answer.status = static_cast<std::uint32_t>(found ? Status::ok : Status::absent);
        answer.found = found.value_or(now_);
    };
    switch (static_cast<Kind>(request.kind)) {
        case Kind::look:
            return say(now_);
        case Kind::back: {
            HistoryRequest last = request;
            last.count = kLongestStep;
            const auto way = wayOf(last);
            say(way.empty() ? std::nullopt : std::optional(way.back().time));
            break;
        }
        case Kind::forth:
            return say(nextOf(request.slot));
        case Kind::go:
            go(request.time, kAtOnce);
            say(now_);
            if (now_ < std::min(request.time, ending())) answer.status = static_cast<std::uint32_t>(Status::moves);
            break;
        case Kind::way:
            report.way = wayOf(request);
            say(now_);
            answer.count = static_cast<std::uint32_t>(report.way.size());
            break;
        case Kind::hit:
            findHit(request, answer);
            break;
        case Kind::nextHit:
            findNextHit(request, answer);
            break;
        case Kind::access:
            findAccess(request, answer);
            break;
        case Kind::entry:
            findEntry(request, CodeMarks(code), report);
            break;
        default:
            return say({});
    }
    if (!live_) arrive();
}

/// It did not repeat itself: the present, which was kept, is put back, and the launch goes on without a history.
void History::giveUp() {
    differs_ = false;
    toMoment(moments_.size() - 1);
    if (broken_ != HistoryAnswer::Reason::none) return;
    arrive();
    give(HistoryAnswer::Reason::differs);
}

HistoryReport History::ask(const HistoryRequest& request, std::span<const MarkedCode> code) {
    using Status = HistoryAnswer::Status;
    HistoryReport report;
    HistoryAnswer& answer = report.answer;
    if (launch_ == nullptr || launch().tile().index() != request.tile) return report;
    bool known = broken_ == HistoryAnswer::Reason::none;
    if (known && over_) return report;
    if (known && !areStopped()) {
        answer.status = static_cast<std::uint32_t>(Status::runs);
        answer.end = soFar_.load(std::memory_order_relaxed);
        return report;
    }
    if (known && others_) give(HistoryAnswer::Reason::launches);
    if (known && unkept_) give(HistoryAnswer::Reason::memory);
    known = broken_ == HistoryAnswer::Reason::none;
    if (known && !moments_.empty()) {
        try {
            answerTo(request, code, report);
            if (differs_) giveUp();
        } catch (const std::bad_alloc&) {
            give(HistoryAnswer::Reason::memory);
        }
        answer.begin = beginning();
        answer.end = ending();
        answer.now = now_;
    }
    if (broken_ == HistoryAnswer::Reason::none) return report;
    if (known && broken_ != HistoryAnswer::Reason::differs)
        for (WorkGroup* const place : places_) place->stopAll();
    answer.status = static_cast<std::uint32_t>(Status::broken);
    answer.reason = static_cast<std::uint32_t>(broken_.load());
    return report;
}

}  // namespace zetl::emulator::machine
