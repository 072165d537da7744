// The file that a timeline or a table goes to.
#pragma once

#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>

namespace zetl::command {

/// Opened before the program runs, so that a wrong place is known while nothing is lost; what it held stays until the
/// first write(). A file that nothing was written to is removed if this object made it.
class TimelineFile {
  public:
    /// Throws UsageError if the file cannot be opened for writing, or its file system has no room: `option` chooses
    /// another.
    explicit TimelineFile(const std::string& path, const char* what = "timeline",
                          const char* option = "-o chooses another file, -o '' none");
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
    std::string name_;            // as it was given
    std::filesystem::path path_;  // wherever the process goes
    std::FILE* file_ = nullptr;
    bool made_ = false;
    bool written_ = false;
};

/// Throws UsageError if they are the same: the second would be written over the first.
void requireApart(const TimelineFile& one, const TimelineFile& other);

}  // namespace zetl::command
