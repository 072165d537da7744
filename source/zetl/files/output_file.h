// One output of a command: a file or standard output.
#pragma once

#include <memory>
#include <string>

#include "files/timeline_file.h"

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

/// Throws UsageError if both go to the same place, where the second would overwrite the first.
void requireApart(const OutputFile& one, const OutputFile& other);

}  // namespace zetl::command
