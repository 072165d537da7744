// Going back in a recorded launch, of run_control.h.
#include <algorithm>
#include <utility>

#include "core/failure.h"
#include "core/progress.h"
#include "core/run_control.h"

namespace zetl::debugger {
namespace {

constexpr std::uint32_t kFewSteps = 512;       // that are read at first to find where a line began
constexpr std::uint32_t kManySteps = 1 << 16;  // and at most

/// The instructions of a thread up to now, and where it is now, seen from the end.
class Way {
  public:
    Way(const ModuleList& modules, const std::vector<zetl_history_step_t>& steps, std::uint64_t now)
        : modules_(modules), steps_(steps), now_(now) {}

    /// The step at which its line began: the present line, if the thread is in the midst of it, otherwise the one
    /// before. With `over`, lines of called functions do not count. Nothing if that lies before these steps.
    std::optional<std::size_t> lineBefore(bool over) const {
        std::size_t at = steps_.size();
        const Place from = placeOf(now_);
        std::size_t first = at;  // of the line, once it is known
        Place line;
        while (at-- > 0) {
            const Place place = placeOf(steps_[at].address);
            const bool isCalled = over && isInCalled(from, at, place);
            if (isCalled || !place.line) continue;
            if (first == steps_.size())
                line = place;
            else if (place.line != line.line || place.function != line.function)
                return first;
            first = at;
        }
        return std::nullopt;
    }

    /// The step that called the function, or the inlined code, in which the thread is now.
    std::optional<std::size_t> callOf(std::size_t depth) const {
        const Place from = placeOf(now_);
        for (std::size_t at = steps_.size(); at-- > 0;) {
            const Place place = placeOf(steps_[at].address);
            const bool isInlinedCall = place.function == from.function && place.depth + depth < from.depth;
            const std::uint64_t next = at + 1 < steps_.size() ? steps_[at + 1].address : now_;
            const bool isCall = place.function != from.function && from.function && next == from.function->begin;
            if (place.line && (isInlinedCall || isCall)) return at;
        }
        return std::nullopt;
    }

  private:
    struct Place {
        SourceLine line;
        const Function* function = nullptr;
        std::size_t depth = 0;  ///< of inlined calls
    };

    Place placeOf(std::uint64_t address) const {
        const auto* module = modules_.at(address);
        if (!module) return {};
        return {modules_.lineAt(address), module->debug().functionAt(address),
                module->debug().scopesAt(address).size()};
    }
    /// The thread has returned from that code since; the caller of its present function is not such code.
    bool isInCalled(const Place& from, std::size_t at, const Place& place) const {
        if (place.function == from.function) return place.depth > from.depth;
        const std::uint64_t next = at + 1 < steps_.size() ? steps_[at + 1].address : now_;
        return !from.function || next != from.function->begin;
    }

    const ModuleList& modules_;
    const std::vector<zetl_history_step_t>& steps_;
    const std::uint64_t now_;
};

/// As long as it lives: says now and then how far a search through the history is, and lets the user end it.
class WatchedOver {
  public:
    WatchedOver(History& history, const Observer& observer, const Moment& present) : history_(history) {
        const auto all = present.end - present.begin;
        history_.onTheWay = [&observer, begin = present.begin, all, progress = Progress()](std::uint64_t time) mutable {
            if (observer.wantsInterrupt()) throw Interruption();
            if (all == 0 || time < begin || !progress.isDue()) return;
            observer.tell(fmt::format("at instruction {} of {} ({} %)", time - begin, all, (time - begin) * 100 / all));
        };
    }
    ~WatchedOver() {
        history_.onTheWay = [](std::uint64_t) {};
    }
    WatchedOver(const WatchedOver&) = delete;
    WatchedOver& operator=(const WatchedOver&) = delete;

  private:
    History& history_;
};

}  // namespace

Moment RunControl::moment() { return recorded_.look(); }

/// The launch is at another time: nothing that was known of its threads is true.
void RunControl::takeStockAgain() {
    threads_.clear();
    pending_.clear();
    untold_.clear();
    passesOver_.clear();
    haltAll();
    pending_.clear();
    const auto now = recorded_.look();
    isPast_ = now.now < now.end;
}

Stop RunControl::arrivedAt(const ThreadId& id, Stop::Kind kind, const std::string& text) {
    takeStockAgain();
    Stop stop{kind, id, 0, {}, 0, text};
    if (!threads_.contains(id)) {
        if (threads_.empty()) return {Stop::Kind::idle, kEveryThread, 0, {}, 0, ""};
        stop.thread = threads_.begin()->first;
    }
    seen_ = stop.thread;
    passesOver_.insert(stop.thread);
    stop.lane = firstLaneIn(thread(stop.thread).activeLanes());
    return stop;
}

/// A search that the user interrupts ends where it began.
template <class F>
Stop RunControl::travel(const ThreadId& selected, F&& way) {
    const auto present = recorded_.look();
    try {
        const WatchedOver watched(recorded_, observer_, present);
        return way(present);
    } catch (const Interruption&) {
        recorded_.go(present.now);
        return arrivedAt(selected, Stop::Kind::interrupted, "");
    }
}

Stop RunControl::stepBack(const ThreadId& id, unsigned lane, Step how, std::size_t frame) {
    return travel(id, [&](const Moment& present) { return stepBackFrom(present, id, lane, how, frame); });
}

Stop RunControl::stepBackFrom(const Moment& present, const ThreadId& id, unsigned lane, Step how, std::size_t frame) {
    std::optional<std::uint64_t> time;
    const auto keepLane = [&](Stop stop) {
        const bool isThere = stop.thread == id && (thread(id).activeLanes() >> lane & 1) != 0;
        if (isThere) stop.lane = lane;
        return stop;
    };
    if (how == Step::instruction) {
        time = recorded_.before(id);
    } else {
        const auto now = thread(id).address();
        for (std::uint32_t count = kFewSteps; !time; count *= 8) {
            const auto steps = recorded_.way(id, std::min(count, kManySteps));
            const Way way(modules_, steps, now);
            const bool over = how == Step::overLine || how == Step::overInstruction;
            const auto found = how == Step::out ? way.callOf(frame) : way.lineBefore(over);
            if (found) time = steps[*found].time;
            const bool isAll = steps.size() < count;
            if (!found && (isAll || count >= kManySteps)) {
                if (!steps.empty()) time = steps.front().time;
                break;
            }
        }
    }
    if (!time || *time < present.begin) {
        recorded_.go(present.now);
        return keepLane(arrivedAt(id, Stop::Kind::moment, "This is the beginning of the work-item's history."));
    }
    recorded_.go(*time);
    return keepLane(arrivedAt(id, Stop::Kind::step, ""));
}

Stop RunControl::toBeginning(const ThreadId& id) {
    return travel(id, [&](const Moment& present) {
        recorded_.go(present.begin);
        return arrivedAt(id, Stop::Kind::moment, "The beginning of the launch's history.");
    });
}

Stop RunControl::toPresent(const ThreadId& id) {
    return travel(id, [&](const Moment& present) {
        recorded_.go(present.end);
        return arrivedAt(id, Stop::Kind::moment, "The end of the launch's history.");
    });
}

/// A hit of a breakpoint whose condition holds, at `time`.
std::optional<Stop> RunControl::lastHit(std::uint64_t before, std::uint64_t& time) {
    for (auto found = recorded_.hitBefore(before); found; found = recorded_.hitBefore(found->time)) {
        takeStockAgain();
        if (threads_.contains(found->thread))
            if (auto hit = judgeBreakpoint(found->thread, thread(found->thread).address())) {
                time = found->time;
                return hit;
            }
        recorded_.onTheWay(found->time);
    }
    return std::nullopt;
}

/// A thread of the work-group whose local memory is watched.
std::optional<ThreadId> RunControl::ownerOf(const Watch& watch) {
    if (!watch.group) return std::nullopt;
    for (const auto& [id, stopped] : threads_)
        if (stopped->group() == *watch.group) return id;
    return std::nullopt;
}

Stop RunControl::proceedBack(const ThreadId& id) {
    conditions_.agree(locations_);
    return travel(id, [&](const Moment& present) { return proceedBackFrom(present, id); });
}

Stop RunControl::proceedBackFrom(const Moment& present, const ThreadId& id) {
    std::uint64_t time = present.begin;
    std::vector<std::optional<ThreadId>> owners;  // as long as it is known who is where
    for (const auto& each : watches_) owners.push_back(ownerOf(each));
    auto stop = lastHit(present.now, time);
    for (std::size_t i = 0; i < watches_.size(); ++i) {
        const auto& each = watches_[i];
        const auto& owner = owners[i];
        if (each.group && !owner) continue;
        const auto found = recorded_.accessBefore(present.now, each.address, each.last.size(), owner, false);
        if (!found || (stop && found->time < time)) continue;
        time = found->time;
        stop = Stop{Stop::Kind::watch,
                    found->thread,
                    firstLaneIn(found->lanes),
                    {},
                    0,
                    fmt::format("watch {}: {} is about to be written", each.number, each.name),
                    each.address};
    }
    recorded_.go(time);
    if (!stop) return arrivedAt(id, Stop::Kind::moment, "No breakpoint before this: the beginning of the history.");
    takeStockAgain();
    passesOver_.insert(stop->thread);
    return *stop;
}

Stop RunControl::toAccess(const ThreadId& selected, std::uint64_t address, std::size_t bytes,
                          const std::optional<ThreadId>& local, bool reads) {
    return travel(selected, [&](const Moment& present) { return toAccessFrom(present, address, bytes, local, reads); });
}

Stop RunControl::toAccessFrom(const Moment& present, std::uint64_t address, std::size_t bytes,
                              const std::optional<ThreadId>& local, bool reads) {
    const auto found = recorded_.accessBefore(present.now, address, bytes, local, reads);
    if (!found) {
        recorded_.go(present.now);
        takeStockAgain();
        fail("no thread of the launch {} it before this", reads ? "accessed" : "wrote");
    }
    auto stop = arrivedAt(found->thread, Stop::Kind::access, found->isWrite ? "writes" : "reads");
    if (stop.thread == found->thread && found->lanes != 0) stop.lane = firstLaneIn(found->lanes);
    stop.others = static_cast<std::size_t>(std::max(__builtin_popcount(found->lanes), 1)) - 1;
    return stop;
}

/// Towards the present, up to a hit of a breakpoint.
Stop RunControl::repeatToHit() {
    conditions_.agree(locations_);
    return travel(seen_, [&](const Moment& present) { return repeatToHitFrom(present); });
}

Stop RunControl::repeatToHitFrom(const Moment& from) {
    for (auto found = recorded_.hitAfter(from.now); found; found = recorded_.hitAfter(found->time)) {
        takeStockAgain();
        passesOver_.insert(found->thread);
        if (threads_.contains(found->thread))
            if (auto hit = judgeBreakpoint(found->thread, thread(found->thread).address())) return *std::move(hit);
        recorded_.onTheWay(found->time);
    }
    recorded_.go(from.end);
    auto stop = arrivedAt(seen_, Stop::Kind::moment, "The end of what was recorded; continue goes on from here.");
    for (const auto& [id, stopped] : threads_) {
        if (!stopped->exceptions().breakpointOrStep) continue;
        passesOver_.insert(id);
        if (auto hit = judgeBreakpoint(id, stopped->address())) return *std::move(hit);
    }
    return stop;
}

/// One instruction of the thread, as it was recorded. False if it was not: then it runs.
bool RunControl::stepRecorded(const ThreadId& id) {
    if (!isPast_) return false;
    const auto time = recorded_.after(id);
    if (!time) return false;
    recorded_.go(*time);
    takeStockAgain();
    passesOver_.insert(id);
    return threads_.contains(id);
}

}  // namespace zetl::debugger
