// The file of a timeline or a table.
#pragma once

#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>

#include "text/usage_error.h"

namespace zetl::command {

/// Another process is writing the file.
struct OutputTaken : UsageError {
    using UsageError::UsageError;
};

/// Opened before the program runs, so that a wrong path is found while nothing is lost. The old content stays until the
/// first write(). Patterns in its name are replaced, and ranks have names of their own (output_name.h); a regular file
/// that another process has open as an output is refused. A file that this object made is removed if nothing was
/// written to it.
class TimelineFile {
  public:
    /// Throws UsageError if the file cannot be opened for writing, or its file system is full, and OutputTaken if
    /// another process is writing it. `option` is the advice
    /// in the message.
    explicit TimelineFile(const std::string& path, const char* what = "timeline",
                          const char* option = "choose another file with -o, or none with -o ''");
    ~TimelineFile();
    TimelineFile(const TimelineFile&) = delete;
    TimelineFile& operator=(const TimelineFile&) = delete;

    /// Both throw std::runtime_error if the text cannot be written.
    void write(std::string_view text);
    void finish();

    const std::string& name() const { return name_; }
    /// Both are one regular file.
    bool isSame(const TimelineFile& other) const;

  private:
    [[noreturn]] void fail() const;

    const char* what_;            // "timeline"
    std::string name_;            // as the user gave it, patterns replaced
    std::filesystem::path path_;  // absolute
    std::FILE* file_ = nullptr;
    bool made_ = false;
    bool written_ = false;
};

/// Throws UsageError if they are the same: the second would be written over the first.
void requireApart(const TimelineFile& one, const TimelineFile& other);

}  // namespace zetl::command
