// What `zetl run --schedules` does: the program again and again, each time in another order of work-groups and threads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/report_files.h"
#include "run/environment.h"
#include "run/installation.h"

namespace zetl::command {

/// The exit code if the runs print different things, as `zetl diff` has it.
inline constexpr int kOtherOutput = 99;

struct ScheduleOptions {
    std::vector<std::string> program;
    std::uint32_t schedules = 1;  ///< from the one of the choice
    ReportChoice reports;
};

/// Runs the program under each schedule and compares what it prints and how it ends. Returns the exit code of zetl:
/// that of the first run that failed, else kOtherOutput if a run differs from the first.
int runSchedules(const Installation& installation, const Choice& choice, const ScheduleOptions& options);

}  // namespace zetl::command
