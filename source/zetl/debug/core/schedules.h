// The program under one schedule of work-groups and threads after the other, in search of the first that shows a
// mistake.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "core/session.h"

namespace zetl::debugger {

struct ScheduleSearch {
    std::uint64_t first = 1;
    std::uint64_t count = 0;
    /// Called between two runs, with the number of those that are over.
    std::function<void(std::uint64_t)> tell = [](std::uint64_t) {};
};

struct FoundSchedule {
    std::uint64_t runs = 0;
    std::string schedule{};      ///< empty: none
    std::optional<Stop> stop{};  ///< the program has stopped there; otherwise it has ended ...
    std::string difference{};    ///< ... in another way than under the first schedule
    bool isInterrupted = false;  ///< by the user
    bool differsFromItself =
        false;  ///< the first schedule, when it ran again: so a difference need not be the schedule's
};

/// Leaves the session in the run that stopped; otherwise the program has ended. The session's schedule is then the one
/// that was found, or what it was before. Throws Failure if the program cannot be started.
FoundSchedule findSchedule(Session& session, const ScheduleSearch& search);

}  // namespace zetl::debugger
