// The directory into which the recorder writes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace zetl::command {

/// The directory that the user named (outputDirectory() in files/output_name.h), or a temporary one that is removed at
/// the end unless keep() is called.
class RecordingDirectory {
  public:
    /// `wanted` may be empty. Throws UsageError if the directory cannot be made, or already holds a recording: two runs
    /// would be mixed.
    explicit RecordingDirectory(const std::string& wanted);
    /// The same for the part of that name in it, beside what other commands keep there.
    RecordingDirectory(const std::string& wanted, const char* part);
    ~RecordingDirectory();
    RecordingDirectory(const RecordingDirectory&) = delete;
    RecordingDirectory& operator=(const RecordingDirectory&) = delete;

    /// Throws UsageError if there is no room for the smallest recording, or a file of `limit` bytes is not possible.
    void requireRoom(std::uint64_t limit) const;

    void keep() noexcept { kept_ = true; }
    bool kept() const noexcept { return kept_; }
    const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
    bool kept_;
};

}  // namespace zetl::command
