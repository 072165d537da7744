// The files for the tables and the timeline of a run.
#pragma once

#include <memory>
#include <string>

#include "launch.h"
#include "timeline_file.h"
#include "trace.h"

namespace zetl::command {

/// One output: a file, standard output ("-"), or none ("").
class OutputFile {
  public:
    /// Throws UsageError as TimelineFile does.
    OutputFile(const std::string& path, const char* what, const char* option);
    void write(const std::string& text);
    /// Call it once, after the last write().
    void finish();
    explicit operator bool() const { return standard_ || file_; }
    bool isStandard() const noexcept { return standard_; }
    const TimelineFile* file() const noexcept { return file_.get(); }

  private:
    bool standard_;
    std::unique_ptr<TimelineFile> file_;
};

/// Writes the text and finishes, if there is an output.
void writeAll(OutputFile& output, const std::string& text);

/// The program keeps standard output unless a table goes there.
ProgramOutput besides(const OutputFile& table);
ProgramOutput besides(const OutputFile& csv, const OutputFile& json);

/// Throws UsageError if both go to the same place, where the second would overwrite the first.
void requireApart(const OutputFile& one, const OutputFile& other);

/// All outputs, opened before the program runs.
struct ReportOutputs {
    explicit ReportOutputs(const ReportOptions& options);
    OutputFile csv;
    OutputFile json;
    std::unique_ptr<TimelineFile> timeline;  ///< null: no timeline
};

}  // namespace zetl::command
