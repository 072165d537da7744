#include "core/run_control.h"

#include <algorithm>

#include "core/failure.h"
#include "core/fault_report.h"
#include "core/level_zero.h"
#include "core/progress.h"

namespace zetl::debugger {
namespace {

constexpr std::chrono::seconds kBetweenNews{10};
constexpr std::uint64_t kAnswerLimitMs = 5000;   ///< for the answer to an interrupt
constexpr std::uint64_t kPatienceAloneMs = 200;  ///< before a thread that runs alone is looked at

bool isEveryThread(const zet_debug_event_t& event) { return ThreadId::of(event.info.thread.thread) == kEveryThread; }

}  // namespace

RunControl::RunControl(Link& link, Observer observer, const ValueHistory& history, LocationCheck& locations)
    : link_(link), observer_(std::move(observer)), history_(history), locations_(locations) {}

std::vector<ThreadId> RunControl::threads() const {
    std::vector<ThreadId> ids;
    for (const auto& [id, thread] : threads_) ids.push_back(id);
    return ids;
}

StoppedThread& RunControl::thread(const ThreadId& id) {
    const auto found = threads_.find(id);
    if (found == threads_.end()) fail("thread {} is not stopped; type threads for those that are", textOf(id));
    return *found->second;
}

WorkItems RunControl::itemsOf(const ThreadId& id) {
    auto& stopped = thread(id);
    const auto address = stopped.address();
    const auto* module = modules_.at(address);
    return link_.architecture().itemsOf(stopped, module ? module->kernelAt(address) : nullptr, memory_);
}

std::vector<Frame> RunControl::framesOf(const ThreadId& id) {
    return debugger::framesOf(thread(id), modules_, memory_);
}

void RunControl::moduleLoaded(const zet_debug_event_t& event) {
    std::string problem;
    if (const auto* module = modules_.add(event, memory_, problem)) {
        for (const auto& code : module->elf().code()) memory_.clearMark(code.begin);
        breakpoints_.resolveAgain();
    } else if (!problem.empty()) {
        observer_.tell(problem);
    }
    if ((event.flags & ZET_DEBUG_EVENT_FLAG_NEED_ACK) != 0) heldModules_.push_back(event);
    if (goesOn_) letModulesRun();
}

void RunControl::letModulesRun() {
    goesOn_ = true;
    for (const auto& event : std::exchange(heldModules_, {})) link_.acknowledge(event);
}

void RunControl::moduleUnloaded(const zet_debug_event_t& event) {
    for (const auto& module : modules_.all())
        if (module->is(event)) breakpoints_.forget(*module);
    modules_.remove(event, memory_);
    locations_.forgetCode();
    conditions_.agree(locations_);
}

RunControl::Waited RunControl::digest(const zet_debug_event_t& event) {
    switch (event.type) {
        case ZET_DEBUG_EVENT_TYPE_MODULE_LOAD:
            moduleLoaded(event);
            return Waited::nothing;
        case ZET_DEBUG_EVENT_TYPE_MODULE_UNLOAD:
            moduleUnloaded(event);
            return Waited::nothing;
        case ZET_DEBUG_EVENT_TYPE_PROCESS_ENTRY:
            entered_ = true;
            return Waited::nothing;
        case ZET_DEBUG_EVENT_TYPE_PROCESS_EXIT:
            entered_ = false;
            return Waited::nothing;
        case ZET_DEBUG_EVENT_TYPE_THREAD_UNAVAILABLE:
            return Waited::answer;
        case ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED:
            if (isEveryThread(event)) return Waited::answer;
            pending_.push_back(ThreadId::of(event.info.thread.thread));
            return Waited::stop;
        case ZET_DEBUG_EVENT_TYPE_PAGE_FAULT:
            observer_.tell(fmt::format("a copy accessed {:#x}, which is not mapped", event.info.page_fault.address));
            return Waited::nothing;
        case ZET_DEBUG_EVENT_TYPE_DETACHED:
            exited_ = true;
            return Waited::exit;
        default:
            return Waited::nothing;
    }
}

RunControl::Waited RunControl::wait(std::uint64_t milliseconds) {
    for (std::uint64_t spent = 0; spent <= milliseconds; spent += kGlanceMs) {
        zet_debug_event_t event{};
        auto result = link_.readEvent(std::min(kGlanceMs, milliseconds), event);
        for (; result == ZE_RESULT_SUCCESS; result = link_.readEvent(0, event))
            if (const auto seen = digest(event); seen != Waited::nothing) return seen;
        if (result != ZE_RESULT_NOT_READY) {
            exited_ = true;
            return Waited::exit;
        }
        if (observer_.wantsInterrupt()) return Waited::interrupt;
    }
    return Waited::nothing;
}

bool RunControl::hasEnded() {
    zet_debug_event_t event{};
    auto result = exited_ ? ZE_RESULT_NOT_READY : link_.readEvent(0, event);
    for (; result == ZE_RESULT_SUCCESS; result = link_.readEvent(0, event)) digest(event);
    exited_ = exited_ || result != ZE_RESULT_NOT_READY || observer_.hasEnded();
    return exited_;
}

void RunControl::takeStock() {
    const auto& shape = link_.shape();
    const auto type = link_.architecture().surestSet();
    const auto& sets = link_.registerSets();
    const auto set = std::ranges::find(sets, type, &zet_debug_regset_properties_t::type);
    if (set == sets.end()) return;
    Bytes values(set->byteSize);
    for (std::uint64_t i = 0; i < shape.count(); ++i) {
        const auto id = shape.at(i);
        if (!threads_.contains(id) && link_.readRegisters(id, type, 0, 1, values.data()) == ZE_RESULT_SUCCESS)
            threads_[id] = std::make_unique<StoppedThread>(link_, id);
    }
}

bool RunControl::haltAll() {
    const auto asked = link_.interrupt(kEveryThread);
    if (asked == ZE_RESULT_SUCCESS || asked == ZE_RESULT_NOT_READY)
        for (std::uint64_t spent = 0; spent < kAnswerLimitMs;) {
            const auto seen = wait(kGlanceMs);
            if (seen == Waited::answer || seen == Waited::exit) break;
            if (seen != Waited::stop) spent += kGlanceMs;
        }
    takeStock();
    return !threads_.empty();
}

void RunControl::releaseAll() {
    conditions_.agree(locations_);
    for (auto& [id, thread] : threads_)
        if (passesOver_.contains(id)) thread->prepare(false);
    threads_.clear();
    untold_.clear();
    passesOver_.clear();
    isPast_ = false;
    link_.resume(kEveryThread);
}

void RunControl::releaseUntroubled() {
    if (untold_.empty()) return releaseAll();
    conditions_.agree(locations_);
    std::set<ThreadId> standing;
    for (const auto& each : untold_) standing.insert(each.thread);
    std::erase_if(threads_, [&](const auto& each) {
        const auto& [id, thread] = each;
        if (standing.contains(id)) return false;
        if (passesOver_.erase(id) > 0) thread->prepare(false);
        link_.resume(id);
        return true;
    });
}

Stop RunControl::interrupt() {
    Stop stop;
    goesOn_ = false;
    if (!haltAll()) {
        stop.kind = exited_ ? Stop::Kind::exited : Stop::Kind::idle;
        return stop;
    }
    if (auto own = judge()) return *own;
    stop.kind = Stop::Kind::interrupted;
    stop.thread = threads_.begin()->first;
    stop.lane = firstLaneIn(thread(stop.thread).activeLanes());
    return stop;
}

Stop RunControl::proceedAlone(const ThreadId& id) {
    if (isPast_) return repeatToHit();
    letModulesRun();
    seenAlone_.reset();
    for (;;) {
        std::erase_if(untold_, [&](const Stop& each) { return each.thread == id; });
        runOn(id);
        if (auto stop = waitFor(id, kPatienceAloneMs)) return *std::move(stop);
        pending_.push_back(id);
        if (auto stop = judge()) return *std::move(stop);
        if (observer_.wantsInterrupt()) return interrupt();
    }
}

Stop RunControl::proceed() {
    letModulesRun();
    passed_ = 0;
    passedBefore_ = conditions_.passed();
    lastNews_ = {};
    if (auto stop = untold()) return *std::move(stop);
    if (isPast_) return repeatToHit();
    if (!watches_.empty() && !deviceWatches_) return proceedWatching();
    if (exited_) return {};
    if (stopped()) releaseAll();
    for (Progress progress;;) {
        const auto seen = pending_.empty() ? wait(kGlanceMs) : Waited::stop;
        if (seen == Waited::exit || exited_) return {};
        if (seen == Waited::interrupt) return interrupt();
        if (seen == Waited::nothing && observer_.hasEnded()) {
            exited_ = true;
            return Stop{};
        }
        if (seen != Waited::stop) {
            conditions_.agree(locations_);  // breakpoints may be set while the program runs
            tellOfPassed();
            if (progress.isDue())
                if (const auto all = recorded_.soFar())
                    observer_.tell(fmt::format("{} instructions of the launch are recorded", *all));
            continue;
        }
        if (passBy()) {
            if (observer_.wantsInterrupt()) return interrupt();
            continue;
        }
        if (!haltAll()) {
            pending_.clear();  // the stopped threads are gone, perhaps with the debuggee
            judged_.clear();
            continue;
        }
        if (const auto stop = judge()) return *stop;
        releaseAll();
    }
}

bool RunControl::passBy() {
    if (link_.architecture().runsAsAWhole()) return false;
    for (const auto& id : std::exchange(pending_, {})) {
        try {
            if (passesBy(id)) continue;
        } catch (const Failure&) {  // it stands no more, perhaps because the debuggee has ended
        }
        threads_.erase(id);  // whether it still stands shows when all do
        if (judged_.empty() || judged_.back().thread != id) pending_.push_back(id);
    }
    return pending_.empty() && judged_.empty();
}

bool RunControl::passesBy(const ThreadId& id) {
    const auto standing = threads_.try_emplace(id, std::make_unique<StoppedThread>(link_, id)).first;
    const auto exceptions = standing->second->exceptions();
    const auto address = standing->second->address();
    if (!exceptions.breakpointOrStep || exceptions.fault || breakpoints_.hitAt(address).empty()) return false;
    if (auto stop = judgeBreakpoint(id, address)) {
        judged_.push_back(*std::move(stop));
        return false;
    }
    standing->second->prepare(false);
    threads_.erase(standing);
    link_.resume(id);
    ++passed_;
    tellOfPassed();
    return true;
}

void RunControl::tellOfPassed() {
    const auto now = std::chrono::steady_clock::now();
    if (now - lastNews_ < kBetweenNews) return;
    const auto all = passed_ + conditions_.passed() - passedBefore_;
    if (lastNews_ != std::chrono::steady_clock::time_point{} && all != 0)
        observer_.tell(fmt::format("{} times, a breakpoint's condition was false", all));
    lastNews_ = now;
}

namespace {

/// Whether a report of the first stop also explains the second.
bool covers(const Stop& told, const Stop& other) {
    const auto isKnown = [&](unsigned number) {
        return std::ranges::find(told.breakpoints, number) != told.breakpoints.end();
    };
    const bool isWatch = other.kind == Stop::Kind::watch;  // each has changed something
    return !isWatch && told.kind == other.kind && std::ranges::all_of(other.breakpoints, isKnown);
}

}  // namespace

void RunControl::removeTemporaries(const Stop& stop) {
    for (const auto number : stop.breakpoints)
        if (breakpoints_.at(number).temporary) breakpoints_.remove(number);
}

std::optional<Stop> RunControl::judge() {
    std::deque<Stop> stops;
    for (auto& seen : seenByDevice()) {
        if (!threads_.contains(seen.thread)) continue;
        passesOver_.insert(seen.thread);
        stops.push_back(std::move(seen));
    }
    std::vector<std::pair<ThreadId, std::optional<Stop>>> all;
    for (auto& stop : std::exchange(judged_, {})) all.emplace_back(stop.thread, std::move(stop));
    for (const auto& id : std::exchange(pending_, {})) all.emplace_back(id, std::nullopt);
    for (auto& [id, judged] : all) {
        if (!threads_.contains(id)) continue;
        passesOver_.insert(id);
        auto stop = judged ? std::move(judged) : judgeThread(id);
        if (!stop) continue;
        const auto same = std::ranges::find_if(stops, [&](const Stop& each) { return covers(each, *stop); });
        if (same == stops.end())
            stops.push_back(*std::move(stop));
        else
            ++same->others;
    }
    if (stops.empty()) return std::nullopt;
    const auto first = std::move(stops.front());
    stops.pop_front();
    for (const auto& each : stops) untold_.push_back(each);
    removeTemporaries(first);
    return first;
}

std::optional<Stop> RunControl::judgeWhileStepping(const ThreadId& id) {
    auto first = judge();
    if (!first || !threads_.contains(id)) return first;
    const auto group = thread(id).group();
    const auto isElsewhere = [&](const Stop& stop) {
        return stop.kind == Stop::Kind::breakpoint && stop.thread != id && thread(stop.thread).group() != group;
    };
    untold_.push_front(*std::move(first));
    const auto here = std::ranges::find_if_not(untold_, isElsewhere);
    if (here != untold_.end()) {
        auto stop = std::move(*here);
        untold_.erase(here);
        return stop;
    }
    for (const auto& each : untold_)
        if (told_.insert(each.thread).second)
            observer_.tell(fmt::format("thread {}, work-group {}, came to breakpoint {}; continue goes there",
                                       textOf(each.thread), textOf(thread(each.thread).group()),
                                       fmt::join(each.breakpoints, ", ")));
    return std::nullopt;
}

std::optional<Stop> RunControl::untold() {
    while (!untold_.empty()) {
        auto stop = std::move(untold_.front());
        untold_.pop_front();
        if (!threads_.contains(stop.thread)) continue;
        const bool isBreakpoint = stop.kind == Stop::Kind::breakpoint;
        const auto there = breakpoints_.hitAt(thread(stop.thread).address());
        std::erase_if(stop.breakpoints, [&](unsigned number) {
            return std::ranges::find(there, number, &Breakpoint::number) == there.end();
        });
        if (isBreakpoint && stop.breakpoints.empty()) continue;
        removeTemporaries(stop);
        return stop;
    }
    return std::nullopt;
}

std::optional<Stop> RunControl::judgeThread(const ThreadId& id) {
    auto& stopped = thread(id);
    const auto exceptions = stopped.exceptions();
    if (exceptions.fault) return faulted(id);
    if (exceptions.breakpointOrStep) return judgeBreakpoint(id, stopped.address());
    if (!exceptions.illegal && !exceptions.software) return std::nullopt;
    const auto kind = exceptions.illegal ? Stop::Kind::illegal : Stop::Kind::software;
    return Stop{kind, id, firstLaneIn(stopped.activeLanes()), {}, 0, ""};
}

std::optional<Stop> RunControl::judgeBreakpoint(const ThreadId& id, std::uint64_t address) {
    const auto hit = breakpoints_.hitAt(address);
    if (hit.empty() && !memory_.hasBreakpoint(address)) memory_.clearMark(address);
    Stop stop{Stop::Kind::breakpoint, id, 0, {}, 0, ""};
    for (auto* each : hit) {
        const auto lane = laneFor(each->condition, id);
        if (!lane) continue;
        ++each->hits;
        if (each->ignored > 0) {
            --each->ignored;
            continue;
        }
        if (stop.breakpoints.empty()) stop.lane = *lane;
        stop.breakpoints.push_back(each->number);
    }
    return stop.breakpoints.empty() ? std::nullopt : std::optional(stop);
}

std::optional<unsigned> RunControl::laneFor(const std::string& condition, const ThreadId& id) {
    auto& stopped = thread(id);
    const auto lanes = stopped.activeLanes();
    if (condition.empty()) return firstLaneIn(lanes);
    const Memory::Together together(memory_);
    const auto items = itemsOf(id);
    const auto frames = framesOf(id);
    Inspector first(frames.front(), stopped, memory_, items, firstLaneIn(lanes), history_, locations_);
    conditions_.offer(stopped.address(), first, frames.front(), items, history_, locations_);
    for (unsigned lane = 0; lane < 32; ++lane) {
        if ((lanes >> lane & 1) == 0) continue;
        Inspector inspector(frames.front(), stopped, memory_, items, lane, history_, locations_);
        try {
            if (isTrue(scalarOf(evaluateExpression(condition, inspector)))) return lane;
        } catch (const Failure& failure) {
            observer_.tell(fmt::format("cannot evaluate the condition '{}': {}", condition, failure.what()));
            return lane;
        }
    }
    return std::nullopt;
}

Stop RunControl::faulted(const ThreadId& id) {
    auto& stopped = thread(id);
    const auto frames = framesOf(id);
    const auto items = itemsOf(id);
    const Inspector inspector(frames.front(), stopped, memory_, items, firstLaneIn(stopped.activeLanes()), history_,
                              locations_);
    const auto report = link_.architecture().reportFault(frames.front(), stopped, memory_, inspector);
    return {Stop::Kind::fault, id, report.isKnown ? report.lane : firstLaneIn(stopped.activeLanes()), {}, 0,
            report.text};
}

namespace {

/// Types are destroyed with their module, which a watch may outlive, so only types without references are kept.
std::optional<Type> numberType(const Type* type) {
    const bool isNumber = type && type->kind >= Type::Kind::integer && type->kind <= Type::Kind::floating;
    return isNumber ? std::optional(*type) : std::nullopt;
}

}  // namespace

void RunControl::release() {
    breakpoints_.removeAll();
    unwatchAll();
    letModulesRun();
    if (stopped()) releaseAll();
}

void RunControl::requireWatching() const {
    if (link_.architecture().runsAsAWhole())
        fail("this device has no watchpoints: its threads cannot run one instruction at a time");
}

unsigned RunControl::watch(const std::string& name, std::uint64_t address, std::size_t bytes, const Type* type) {
    requireWatching();
    auto data = memory_.read(address, bytes);
    if (bytes == 0) fail("{} has no bytes to watch; name a variable or an element", name);
    if (!data) fail(kUnreadable, bytes, "", address);
    watches_.push_back({nextWatch_, name, address, std::nullopt, numberType(type), *std::move(data)});
    hand();
    return nextWatch_++;
}

unsigned RunControl::watchLocal(const std::string& name, const ThreadId& id, std::uint64_t offset, std::size_t bytes,
                                const Type* type) {
    requireWatching();
    auto data = memory_.readLocal(id, offset, bytes);
    if (bytes == 0) fail("{} has no bytes to watch; name a variable or an element", name);
    if (!data)
        fail("cannot read {} bytes at {:#x} of local memory, which may be smaller; info args shows it", bytes, offset);
    watches_.push_back({nextWatch_, name, offset, thread(id).group(), numberType(type), *std::move(data)});
    hand();
    return nextWatch_++;
}

void RunControl::unwatch(unsigned number) {
    if (std::erase_if(watches_, [number](const Watch& each) { return each.number == number; }) == 0)
        fail("there is no watch {}; type info watch for a list", number);
    hand();
}

void RunControl::unwatchAll() {
    watches_.clear();
    hand();
}

}  // namespace zetl::debugger
