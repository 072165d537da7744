#include "console/schedules.h"

#include "console/commands.h"
#include "console/console.h"
#include "console/values.h"
#include "core/failure.h"
#include "core/progress.h"
#include "core/schedules.h"

namespace zetl::debugger {
namespace {

ScheduleSearch searchIn(const std::string& arguments) {
    constexpr std::uint64_t kMost = 1'000'000;
    const auto [count, first] = firstWord(arguments);
    const auto runs = numberFrom(count);
    const auto from = first.empty() ? std::optional<std::uint64_t>(1) : numberFrom(first);
    if (!runs || *runs == 0 || *runs > kMost || !from || *from > UINT64_MAX - kMost)
        fail("{}: type schedules COUNT [FIRST], with a count from 1 to {}", asTyped("schedules", arguments), kMost);
    return {*from, *runs};
}

/// In the run that has just ended there is nothing to look at, so the next one stops at its first kernel.
void startUnderIt(Console& console) {
    auto& session = console.session();
    session.control().breakpoints().add("entry", session.file(), true);
    if (!session.start())
        return console.print("The program ended before it could be debugged, with code {}.\n", session.exitCode());
    console.report(session.proceed());
}

}  // namespace

void searchSchedules(Console& console, const std::string& arguments) {
    auto& session = console.session();
    auto search = searchIn(arguments);
    endFormerRun(console);
    Progress progress;
    search.tell = [&](std::uint64_t runs) {
        if (progress.isDue()) console.print("{} of {} schedules have shown nothing.\n", runs, search.count);
    };
    const auto found = findSchedule(session, search);
    const auto all = fmt::format("{} to {}", search.first, search.first + search.count - 1);
    if (found.isInterrupted) return console.print("Interrupted in run {} of {}.\n", found.runs, search.count);
    if (found.schedule.empty())
        return console.print("The schedules {} stopped nowhere, and all ended in the same way.\n", all);
    console.print("Schedule {} of {} {}\n", found.schedule, all,
                  found.stop ? "stops:" : fmt::format("differs from the first: {}", found.difference));
    if (found.differsFromItself)
        console.print(
            "Schedule {} differs from itself, too: the output depends on time, on addresses or on the "
            "program's own threads.\n",
            search.first);
    console.print("run repeats schedule {} until you type set schedule off.\n", found.schedule);
    if (found.stop)
        console.report(*found.stop);
    else
        startUnderIt(console);
}

}  // namespace zetl::debugger
