// What `zetl baseline` does.
#pragma once

#include <string>
#include <vector>

#include "baseline/baseline.h"
#include "report/report_files.h"
#include "run/environment.h"
#include "run/installation.h"

namespace zetl::command {

/// The exit code if a kernel costs something else, as `zetl check` has it for mistakes.
inline constexpr int kOtherCosts = 99;

struct BaselineOptions {
    std::string file;
    std::vector<std::string> program;
    Tolerance tolerance;
    bool accept = false;   ///< the file gets the new costs
    ReportChoice reports;  ///< one row per change
    const char* version = "";
};

/// Both run the program on the emulated GPU and return the exit code of zetl. The first writes what its kernels cost to
/// the file; the second compares that with the file.
int saveBaseline(const Installation& installation, const Choice& choice, const BaselineOptions& options);
int compareBaseline(const Installation& installation, const Choice& choice, const BaselineOptions& options);

}  // namespace zetl::command
