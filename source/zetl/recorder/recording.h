// The recorder's side of a recording: hands out records in the calling thread's chunk.
#pragma once

#include "recording/format.h"

namespace zetl::recorder {

using command::Record;

/// Nanoseconds of CLOCK_MONOTONIC_RAW.
std::uint64_t now() noexcept;

/// One call in progress: its record, or only its begin if the recording is full; nothing while recording is paused.
class Call {
  public:
    static Call ignored() noexcept { return Call(0); }
    static Call recorded(Record* record) noexcept { return Call(reinterpret_cast<std::uintptr_t>(record)); }
    static Call counted(std::uint64_t begin) noexcept { return Call(begin << 1 | 1); }
    static Call from(void* instance) noexcept { return Call(reinterpret_cast<std::uintptr_t>(instance)); }

    bool isIgnored() const noexcept { return value_ == 0; }
    void* instance() const noexcept { return reinterpret_cast<void*>(value_); }
    Record* record() const noexcept { return value_ & 1 ? nullptr : reinterpret_cast<Record*>(value_); }
    std::uint64_t begin() const noexcept { return value_ >> 1; }

  private:
    explicit Call(std::uintptr_t value) noexcept : value_(value) {}
    std::uintptr_t value_;
};

/// When calls are recorded, in nanoseconds of now().
struct Period {
    std::uint64_t from = 0;
    std::uint64_t until = UINT64_MAX;
    bool paused = false;  ///< at the start
};

/// The recording of this process. After a fork the child starts its own recording with its first call; calls in
/// progress at the fork belong to the parent.
///
/// All functions may be called from any thread. beginCall() takes no lock except when the thread needs a new chunk
/// (once in about a thousand calls), never allocates, and writes nothing beyond the limit.
class Recording {
  public:
    /// Starts recording into `directory`, with the first call that is to be recorded. After stop() it may be started
    /// again. False if the process cannot record.
    static bool start(const char* directory, std::uint64_t limit, const Period& period) noexcept;
    /// The same, and makes the file now. False, with a line on standard error, if that fails.
    static bool startAtOnce(const char* directory, std::uint64_t limit, const Period& period) noexcept;
    /// Calls that begin from now on are not recorded. What is in the file stays valid.
    static void stop() noexcept;

    /// Whether calls that begin now are recorded.
    static bool isOn() noexcept;

    /// A call of a function begins on this thread. The payload is zero.
    static Call beginCall(std::uint16_t function, std::uint16_t words) noexcept;

    /// The call has ended: stores its result and end. The payload must be complete.
    static void endCall(Call call, std::uint16_t function, std::uint64_t result, bool failed) noexcept;

    /// Allocates a page of the chunk that some thread will need next, which takes a few microseconds: call it while the
    /// program would wait anyway. A thread that needs a chunk which was not prepared waits for some 40 us.
    static void prepare() noexcept;

    /// A record that is not a call. The caller fills it, and finish() makes it valid by storing its begin. Null if
    /// there is no room.
    static Record* add(std::uint16_t kind, std::uint16_t words, std::uint32_t thread) noexcept;
    /// The same, of the calling thread.
    static Record* addHere(std::uint16_t kind, std::uint16_t words) noexcept;
    static void finish(Record* record, std::uint64_t begin) noexcept;

    /// The position of the record in the file; 0 if it is not in this process's recording.
    static std::uint64_t placeOf(const Record* record) noexcept;
    /// The record at such a position; null for 0.
    static Record* at(std::uint64_t place) noexcept;
    /// Pauses or resumes this process, as `zetl pause` and `zetl resume` do.
    static void setPaused(bool paused) noexcept;
    /// The ranks of the program have met. `number` counts from 1.
    static void addMeeting(std::uint64_t number, std::uint64_t entered, std::uint64_t left) noexcept;
    static bool hasStarted() noexcept;
    static void countSpanBeyond() noexcept;
    static void setUnmeasured(std::uint64_t commands) noexcept;
    static void setUnread(std::uint64_t commands) noexcept;

    /// True if the record may be written: it belongs to this process's own recording.
    static bool owns(const Record* record) noexcept;
};

}  // namespace zetl::recorder
