// Where the reports of a command go.
#pragma once

#include <string>
#include <vector>

#include "files/output_file.h"
#include "files/table_outputs.h"
#include "report/report.h"

namespace zetl::command {

/// What the user asks for; empty: none.
struct ReportChoice {
    TableOptions tables;
    std::string sarif;
    std::string junit;
    bool github = false;  ///< annotations on standard output
    const char* version = "";
};

/// The files are open from the beginning on: a program may run for an hour before there is something to write.
class ReportFiles {
  public:
    /// `what` goes into them: "findings". Throws UsageError if they cannot be written, or get into each other's way or
    /// that of the others.
    ReportFiles(const ReportChoice& choice, const char* what, const std::vector<const OutputFile*>& others = {});

    /// Where the program's standard output goes besides.
    bool takesStandardOutput() const noexcept { return standard_; }

    TableOutputs& tables() noexcept { return tables_; }

    /// SARIF, JUnit and annotations.
    void write(const Report& report);

  private:
    TableOutputs tables_;
    OutputFile sarif_;
    OutputFile junit_;
    bool github_;
    const char* version_;
    bool standard_ = false;
};

}  // namespace zetl::command
