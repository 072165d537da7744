// What `zetl run --fail-sweep` does: the program again and again, and in each run the next call fails.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/report_files.h"
#include "run/environment.h"
#include "run/installation.h"

namespace zetl::command {

/// The exit code if a run showed a mistake, as `zetl check` has it.
inline constexpr int kMistakeShown = 99;

struct SweepOptions {
    std::vector<std::string> program;
    std::string rule;            ///< FUNCTION[:CONDITION...]=EFFECT of `--fail`, without numbers of calls
    std::uint32_t seconds = 60;  ///< after which a run hangs
    std::uint32_t most = 1'000;  ///< runs with a call that fails
    ReportChoice reports;        ///< one row per run
};

/// Runs the program once as it is, and once for each call that the rule names. Returns the exit code of zetl: that of
/// the first run if it fails by itself. Throws UsageError for a rule that does not fit.
int sweepFailures(const Installation& installation, const Choice& choice, const SweepOptions& options);

}  // namespace zetl::command
