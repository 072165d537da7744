// What `zetl check` does.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "check/kinds.h"
#include "report/report_files.h"
#include "run/environment.h"
#include "run/installation.h"

namespace zetl::command {

/// The exit code if a mistake was found, as Valgrind's users choose it.
inline constexpr std::uint32_t kMistakeFound = 99;

/// Below the directory of --recording, a file of what was found and wanted.
inline constexpr const char* kCheckPart = "check";

struct CheckOptions {
    std::vector<std::string> program;
    std::string groups = "memory,race,barrier,init,api";
    check::Level level = check::Level::warning;   ///< the lowest that is shown
    std::string kernels;                          ///< patterns; empty: all
    std::uint32_t schedules = 0;                  ///< runs under shuffled schedules; 0: one, under that of the choice
    std::uint32_t errorExitCode = kMistakeFound;  ///< 0: the program's own
    std::uint32_t printLimit = 100;
    std::uint32_t progress = 0;             ///< seconds between lines that tell how far it has come; 0: none
    std::vector<std::string> suppressions;  ///< files
    bool generateSuppressions = false;
    bool stop = false;       ///< become `zetl debug` at the first finding
    std::string stopScript;  ///< a file for its commands; empty: none
    std::string html;        ///< a page to look at
    bool mangled = false;    ///< show people kernels' names as compilers make them
    ReportChoice reports;    ///< JSON has one object per line
    std::string directory;   ///< in which the findings are kept for `zetl report`; empty: nowhere
};

/// Runs the program on the emulated GPU with checks, and reports what was found. Returns the exit code of zetl, unless
/// it becomes the debugger.
int checkProgram(const Installation& installation, const Choice& choice, const CheckOptions& options);

}  // namespace zetl::command
