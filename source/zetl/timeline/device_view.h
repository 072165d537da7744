// The devices of a recording: their streams and kernels by number.
#pragma once

#include <map>
#include <string>

#include "recording/reader.h"

namespace zetl::command {

/// The text of a record that holds a name.
std::string textOf(const std::uint64_t* payload, std::uint16_t words);

RecordedSpan spanOf(const Record& record);

/// By activity::Work.
inline constexpr const char* kKindsOfWork[] = {"kernel", "copy", "fill", "barrier", "image copy"};

const char* kindOf(const RecordedSpan& span);

class DeviceView {
  public:
    explicit DeviceView(const RecordingFile& recording);

    /// The handle of a stream's device; 0 for a stream that the recording does not describe.
    std::uint64_t deviceOf(std::uint32_t stream) const;
    bool any() const { return !streams_.empty(); }
    /// By number; a long one is cut.
    const std::map<std::uint32_t, std::string>& kernels() const { return kernels_; }
    /// "vector_add", or "copy" and the other kinds.
    std::string nameOf(const RecordedSpan& span) const;
    /// "device 0, engine 0.1: queue 0x7f12", devices counted as they come; for a stream that the recording does not
    /// describe, its number.
    std::string trackName(std::uint32_t stream) const;

  private:
    std::map<std::uint32_t, std::string> kernels_;
    std::map<std::uint32_t, RecordedStream> streams_;
    std::map<std::uint64_t, std::uint32_t> devices_;  ///< numbers by handle
};

}  // namespace zetl::command
