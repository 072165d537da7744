// What `zetl coverage` does.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "files/table_outputs.h"
#include "run/environment.h"
#include "run/installation.h"

namespace zetl::command {

/// The exit code if fewer lines were executed than asked for, as `zetl check` has it for mistakes.
inline constexpr int kTooFewLines = 99;

struct CoverageOptions {
    std::vector<std::string> program;
    std::string output = "kernels.info";
    TableOptions tables;  ///< one row per kernel
    bool append = false;
    bool byKernel = false;            ///< a test for each kernel, instead of one for all
    std::string kernels;              ///< patterns; empty: all
    std::string sources;              ///< likewise
    std::string html;                 ///< directory for pages; empty: none
    std::optional<double> failUnder;  ///< per cent of lines
};

/// Runs the program on the emulated GPU and writes which lines of its kernels were executed. Returns the exit code of
/// zetl.
int coverProgram(const Installation& installation, const Choice& choice, const CoverageOptions& options);

}  // namespace zetl::command
