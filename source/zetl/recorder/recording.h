// The recorder's side of a recording: hands out records in the calling thread's chunk.
#pragma once

#include "recording_format.h"

namespace zetl::recorder {

using command::Record;

/// Nanoseconds of CLOCK_MONOTONIC_RAW.
std::uint64_t now() noexcept;

/// One call in progress: its record, or, once the recording is full, only its begin.
class Call {
  public:
    static Call recorded(Record* record) noexcept { return Call(reinterpret_cast<std::uintptr_t>(record)); }
    static Call counted(std::uint64_t begin) noexcept { return Call(begin << 1 | 1); }
    static Call from(void* instance) noexcept { return Call(reinterpret_cast<std::uintptr_t>(instance)); }

    void* instance() const noexcept { return reinterpret_cast<void*>(value_); }
    Record* record() const noexcept { return value_ & 1 ? nullptr : reinterpret_cast<Record*>(value_); }
    std::uint64_t begin() const noexcept { return value_ >> 1; }

  private:
    explicit Call(std::uintptr_t value) noexcept : value_(value) {}
    std::uintptr_t value_;
};

/// The recording of this process. After a fork the child starts one of its own with its first call; calls that were
/// under way then stay the parent's.
///
/// All functions may be called from any thread. beginCall() takes no lock except when the thread needs a new chunk
/// (once in about a thousand calls), never allocates, and writes nothing beyond the limit.
class Recording {
  public:
    /// Starts recording into `directory`; false (with a line on standard error) if there can be no file.
    static bool start(const char* directory, std::uint64_t limit) noexcept;

    /// A call of a function begins on this thread. The payload is zero.
    static Call beginCall(std::uint16_t function, std::uint16_t words) noexcept;

    /// The call is over: its result and end are stored. The payload must be complete.
    static void endCall(Call call, std::uint16_t function, std::uint64_t result, bool failed) noexcept;

    /// True if the record may be written: it belongs to this process's own recording.
    static bool owns(const Record* record) noexcept;
};

}  // namespace zetl::recorder
