// The file that the recorder writes and zetl reads: one for each traced process, <pid>-<n>.zetl.
//
// A file header, then chunks of kChunkBytes each, filled with records one behind the other. A chunk belongs to one
// thread at a time. The recorder writes through a shared mapping, so whatever ends the process (a signal, _exit, a
// crash inside a call), the file holds every record that was begun: `begin` is stored last, and a zero there ends a
// chunk.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "functions.h"

namespace zetl::command {

inline constexpr char kMagic[8] = {'Z', 'E', 'T', 'L', 'R', 'E', 'C', '1'};
inline constexpr std::uint64_t kChunkBytes = 64 * 1024;
inline constexpr const char* kFileSuffix = ".zetl";

/// Environment of the recorder.
inline constexpr const char* kDirectoryVariable = "ZETL_TRACE_DIRECTORY";  // where the files go; unset: do not record
inline constexpr const char* kLimitVariable = "ZETL_TRACE_LIMIT";          // bytes a process may record

/// `Record::function` of a record that is no call: its words hold the thread's name.
inline constexpr std::uint16_t kThreadName = 0xffff;
inline constexpr std::uint16_t kThreadNameWords = 2;

/// Times are nanoseconds of CLOCK_MONOTONIC_RAW, the host clock of zeDeviceGetGlobalTimestamps.
struct Record {
    std::atomic<std::uint64_t> begin;  // 0: no record here
    std::uint64_t end;                 // 0: the call has not returned
    std::uint64_t result;
    std::uint32_t thread;
    std::uint16_t function;
    std::uint16_t words;  // that follow, as laid out by the function's row

    std::uint64_t* payload() { return reinterpret_cast<std::uint64_t*>(this + 1); }
    const std::uint64_t* payload() const { return reinterpret_cast<const std::uint64_t*>(this + 1); }
    std::uint64_t bytes() const { return sizeof(Record) + words * sizeof(std::uint64_t); }
};
static_assert(sizeof(Record) == 32);

/// Calls that did not fit below the limit: counted, not kept one by one.
struct Overflow {
    std::atomic<std::uint64_t> calls, errors, total, shortest, longest;
};

/// What kept a process from recording further.
enum class Shortage : std::uint32_t { none, limit, fileSize, space };
inline constexpr std::size_t kShortages = 4;

struct FileHeader {
    char magic[8];
    std::uint32_t functions;  // kFunctions of the recorder
    std::uint32_t process;
    std::uint32_t parent;
    std::atomic<Shortage> shortage;
    char command[64];
    std::atomic<std::uint64_t> chunks;  // handed out so far
    Overflow overflow[kFunctions];
};

/// Where the first chunk starts.
inline constexpr std::uint64_t kHeaderBytes = (sizeof(FileHeader) + 4095) / 4096 * 4096;

/// What a recording takes before it can hold a call.
inline constexpr std::uint64_t kSmallestRecording = kHeaderBytes + kChunkBytes;

}  // namespace zetl::command
