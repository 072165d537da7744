// Going back in a recorded launch, of run_control.h.
#include <algorithm>
#include <utility>

#include "core/failure.h"
#include "core/progress.h"
#include "core/run_control.h"
#include "core/way_back.h"

namespace zetl::debugger {
namespace {

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
    const auto keepLane = [&](Stop stop) {
        const bool isThere = stop.thread == id && (thread(id).activeLanes() >> lane & 1) != 0;
        if (isThere) stop.lane = lane;
        return stop;
    };
    const auto time = how == Step::instruction ? recorded_.before(id)
                      : how == Step::out       ? callBefore(present, id, frame)
                                               : lineBefore(present, id, how != Step::intoLine);
    if (!time || *time < present.begin) {
        recorded_.go(present.now);
        return keepLane(arrivedAt(id, Stop::Kind::moment, "This is the beginning of the work-item's history."));
    }
    recorded_.go(*time);
    return keepLane(arrivedAt(id, Stop::Kind::step, ""));
}

/// When the thread began its present line, if it is in the midst of it, or else the line before.
std::optional<std::uint64_t> RunControl::lineBefore(const Moment& present, const ThreadId& id, bool over) {
    const WayBack way(modules_, thread(id).address(), over);
    if (way.isBlank() || (over && way.isAtBegin())) return recorded_.before(id);
    const auto last = recorded_.entryBefore(present.now, id, way.counting());
    if (!last) return std::nullopt;
    const auto began = recorded_.entryBefore(last->time, id, way.lineAt(last->address));
    return began ? began->time : last->time;
}

/// When the thread called the function, or the inlined code, in which the frame is.
std::optional<std::uint64_t> RunControl::callBefore(const Moment& present, const ThreadId& id, std::size_t frame) {
    if (frame + 1 >= framesOf(id).size()) fail("{}", link_.architecture().silence().noCaller);
    const WayBack way(modules_, thread(id).address(), false);
    const auto found = recorded_.entryBefore(present.now, id, way.callers(frame));
    if (!found || !way.isBehindCall(found->address, frame)) return found ? std::optional(found->time) : std::nullopt;
    recorded_.go(found->time);
    return recorded_.before(id);
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
        fail("no thread of the launch {} it before this: it is as the host or an earlier launch left it",
             reads ? "accessed" : "wrote");
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
