// Reads what the recorder wrote.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "recording_format.h"

namespace zetl::command {

/// One process's recording, mapped read-only.
class RecordingFile {
  public:
    /// Throws std::runtime_error if the file is no recording of this version of zetl.
    explicit RecordingFile(const std::filesystem::path& path);
    ~RecordingFile();
    RecordingFile(RecordingFile&& other) noexcept;
    RecordingFile& operator=(RecordingFile&&) = delete;

    const FileHeader& header() const { return *header_; }
    std::string command() const;

    /// Every record, chunk by chunk; a damaged record ends its chunk.
    void forEach(const std::function<void(const Record&)>& visit) const;

  private:
    const FileHeader* header_ = nullptr;
    std::uint64_t bytes_ = 0;
};

/// All recordings below a directory, in the order of their names. Files that cannot be read are named on standard
/// error.
std::vector<RecordingFile> openRecordings(const std::filesystem::path& directory);

}  // namespace zetl::command
