// Where the recorder writes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace zetl::command {

/// The directory that the user asked for, or a temporary one, which is removed at the end unless keep() is called.
class RecordingDirectory {
  public:
    /// `wanted` may be empty. Throws UsageError if there can be no such directory, or if it holds a recording already:
    /// two runs would become one.
    explicit RecordingDirectory(const std::string& wanted);
    ~RecordingDirectory();
    RecordingDirectory(const RecordingDirectory&) = delete;
    RecordingDirectory& operator=(const RecordingDirectory&) = delete;

    /// Throws UsageError if not even the smallest recording fits, or a file of `limit` bytes is not possible.
    void requireRoom(std::uint64_t limit) const;

    void keep() noexcept { kept_ = true; }
    bool kept() const noexcept { return kept_; }
    const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
    bool kept_;
};

}  // namespace zetl::command
