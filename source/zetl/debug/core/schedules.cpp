#include "core/schedules.h"

#include "core/failure.h"

namespace zetl::debugger {
namespace {

/// The session's way of starting programs is as before at the end, but for a schedule that is to stay.
class Search {
  public:
    explicit Search(Session& session) : session_(session), former_(session.schedule()) { session_.keepOutput(true); }
    ~Search() {
        session_.keepOutput(false);
        if (!stays_) session_.setSchedule(former_);
    }
    Search(const Search&) = delete;
    Search& operator=(const Search&) = delete;

    /// The stop, or nothing if the program has ended so.
    std::optional<Stop> run(const std::string& schedule, ProgramEnd& end) {
        session_.setSchedule(schedule);
        const bool isDebugged = session_.start();
        const auto stop = isDebugged ? session_.proceed() : Stop{};
        if (stop.kind != Stop::Kind::exited) return stop;
        end = {session_.exitCode(), session_.output()};
        return std::nullopt;
    }
    void keep() noexcept { stays_ = true; }

  private:
    Session& session_;
    const std::string former_;
    bool stays_ = false;
};

}  // namespace

FoundSchedule findSchedule(Session& session, const ScheduleSearch& search) {
    const auto& differenceOf = session.options().differenceOf;
    if (!differenceOf) fail("schedules: only emulated devices have schedules");
    Search one(session);
    FoundSchedule found;
    ProgramEnd usual;
    for (std::uint64_t i = 0; i < search.count; ++i) {
        const auto schedule = std::to_string(search.first + i);
        ProgramEnd end;
        const auto stop = one.run(schedule, end);
        ++found.runs;
        const bool isInterrupted = stop && (stop->kind == Stop::Kind::interrupted || stop->kind == Stop::Kind::idle);
        if (isInterrupted || (!stop && session.wasInterrupted())) {
            found.isInterrupted = true;
            if (session.isAlive()) session.kill();
            return found;
        }
        if (i == 0) usual = end;
        if (!stop) found.difference = differenceOf(usual, end);
        if (stop || !found.difference.empty()) {
            found.schedule = schedule;
            found.stop = stop;
            break;
        }
        search.tell(found.runs);
    }
    if (found.schedule.empty()) return found;
    if (!found.stop) {
        ProgramEnd again;
        const auto stop = one.run(std::to_string(search.first), again);
        found.differsFromItself = stop || !differenceOf(usual, again).empty();
        if (session.isAlive()) session.kill();
        session.setSchedule(found.schedule);
    }
    one.keep();
    return found;
}

}  // namespace zetl::debugger
