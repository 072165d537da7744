// The file that the recorder writes and zetl reads: one for each traced process, <pid>-<n>.zetl.
//
// A file header, then chunks of kChunkBytes each, filled with consecutive records. A chunk belongs to one
// thread at a time. The recorder writes through a shared mapping, so whatever ends the process (a signal, _exit, a
// crash inside a call), the file holds every record that was begun: `begin` is stored last, and a zero there ends a
// chunk.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "recording/functions.h"

namespace zetl::command {

inline constexpr char kMagic[8] = {'Z', 'E', 'T', 'L', 'R', 'E', 'C', '7'};
inline constexpr std::uint64_t kChunkBytes = 64 * 1024;
inline constexpr const char* kFileSuffix = ".zetl";
inline constexpr const char* kSummarySuffix = ".summary";  // of a rank (timeline/reduced_rank.h)

/// The recorder's environment variables.
inline constexpr const char* kDirectoryVariable = "ZETL_TRACE_DIRECTORY";  // where the files go; unset: do not record
inline constexpr const char* kLimitVariable = "ZETL_TRACE_LIMIT";          // bytes that a process may record
inline constexpr const char* kActivityVariable = "ZETL_TRACE_DEVICE";      // 0: record only calls
inline constexpr const char* kFunctionsVariable = "ZETL_TRACE_FUNCTIONS";  // patterns; unset: all
inline constexpr const char* kKernelsVariable = "ZETL_TRACE_KERNELS";      // patterns; unset: all
inline constexpr const char* kPausedVariable = "ZETL_TRACE_PAUSED";        // 1: until `zetl resume`
inline constexpr const char* kDelayVariable = "ZETL_TRACE_DELAY";          // milliseconds before recording starts
inline constexpr const char* kLttngVariable = "ZETL_TRACE_LTTNG";          // 1: also send records to LTTng
inline constexpr const char* kDurationVariable = "ZETL_TRACE_DURATION";    // milliseconds of recording

inline constexpr const char* kBinariesVariable = "ZETL_TRACE_BINARIES";  // directory for native binaries; unset: none

/// `Record::function` of a record that is not a call.
inline constexpr std::uint16_t kThreadName = 0xffff;  // words: its name
inline constexpr std::uint16_t kSpan = 0xfffe;        // what a device did, from begin to end; words: a RecordedSpan
inline constexpr std::uint16_t kStream = 0xfffd;      // thread: its id; words: a RecordedStream
inline constexpr std::uint16_t kKernelName =
    0xfffc;                                      // thread: its number; words: as much of its name as there is room for
inline constexpr std::uint16_t kRange = 0xfffb;  // of a program; words: the place of the one around it, name, domain
inline constexpr std::uint16_t kFirstNoCall = 0xfffb;
inline constexpr std::uint16_t kThreadNameWords = 2;
/// `Record::thread` of ranges that may overlap: an open one has a lane of its own. Above the system's numbers.
inline constexpr std::uint32_t kFirstLane = 1u << 30;
inline constexpr std::uint16_t kMostNameWords = 32;

/// A recorded zetl::activity::Span.
struct RecordedSpan {
    // where the file has the call's record; 0: nowhere
    std::uint64_t appended;
    std::uint64_t submitted;
    std::uint64_t bytes;
    std::uint64_t submittedAt;  // a time; 0: unknown
    std::uint32_t stream;
    std::uint32_t kernel;
    std::uint32_t work;
    std::uint32_t localBytes;  // from here on of a launch; 0: unknown
    std::uint32_t groups[3];
    std::uint32_t groupSize[3];
    std::uint16_t registers;
    std::uint16_t simdWidth;
    std::uint32_t unused;
};
inline constexpr std::uint16_t kSpanWords = sizeof(RecordedSpan) / 8;

/// A recorded zetl::activity::Stream.
struct RecordedStream {
    std::uint64_t handle;
    std::uint64_t device;
    std::uint32_t ordinal;
    std::uint32_t index;
    std::uint32_t immediate;
    std::uint32_t unused;
};
inline constexpr std::uint16_t kStreamWords = sizeof(RecordedStream) / 8;

/// Times are nanoseconds of CLOCK_MONOTONIC_RAW, the host clock of zeDeviceGetGlobalTimestamps.
struct Record {
    std::atomic<std::uint64_t> begin;  // 0: no record here
    std::uint64_t end;                 // 0: the call has not returned
    std::uint64_t result;
    std::uint32_t thread;
    std::uint16_t function;
    std::uint16_t words;  // that follow, in the layout of the function's row

    std::uint64_t* payload() { return reinterpret_cast<std::uint64_t*>(this + 1); }
    const std::uint64_t* payload() const { return reinterpret_cast<const std::uint64_t*>(this + 1); }
    bool isCall() const { return function < kFirstNoCall; }
    std::uint64_t bytes() const { return sizeof(Record) + words * sizeof(std::uint64_t); }
};
static_assert(sizeof(Record) == 32);

/// Calls that did not fit below the limit: counted, not kept one by one.
struct Overflow {
    std::atomic<std::uint64_t> calls;
    std::atomic<std::uint64_t> errors;
    std::atomic<std::uint64_t> total;
    std::atomic<std::uint64_t> shortest;
    std::atomic<std::uint64_t> longest;
};

/// Why a process could not record more.
enum class Shortage : std::uint32_t { none, limit, fileSize, space };
inline constexpr std::size_t kShortages = 4;

/// At a meeting, all ranks of a program wait for each other, as in a barrier. Each keeps the times at which it entered
/// and left: no rank leaves before every other has entered, whatever their clocks say.
struct Meeting {
    std::uint64_t number;  // from 1, the same for all ranks; 0: there was no such meeting
    std::uint64_t entered;
    std::uint64_t left;
};
/// The first half has the first ones, the other half the last ones.
inline constexpr std::uint32_t kMeetings = 16;

struct FileHeader {
    char magic[8];
    std::uint32_t functions;  // kFunctions of the recorder
    std::uint32_t process;
    std::uint32_t parent;
    std::atomic<Shortage> shortage;
    char command[64];
    char host[64];
    char boot[40];        // names the boot of its kernel, and so its clock; empty: unknown
    std::int32_t rank;    // -1: none
    std::uint32_t ranks;  // of the program; 0: unknown
    // CLOCK_MONOTONIC_RAW and CLOCK_REALTIME at one moment
    std::uint64_t monotonic;
    std::uint64_t realtime;
    std::uint64_t job;  // of the launcher, as a hash of what it is called; 0: unknown
    Meeting meetings[kMeetings];
    std::atomic<std::uint64_t> chunks;  // handed out so far
    std::atomic<std::uint32_t> paused;  // 1: recording is paused; zetl may change it while the process runs
    std::uint32_t unused;
    std::atomic<std::uint64_t> spansBeyond;  // that did not fit
    std::atomic<std::uint64_t> unmeasured;   // commands whose time could not be read
    std::atomic<std::uint64_t> unread;       // commands that were executing, or not yet read
    Overflow overflow[kFunctions];
};

/// Where the first chunk starts.
inline constexpr std::uint64_t kHeaderBytes = (sizeof(FileHeader) + 4095) / 4096 * 4096;

/// The smallest size of a recording that can hold a call.
inline constexpr std::uint64_t kSmallestRecording = kHeaderBytes + kChunkBytes;

}  // namespace zetl::command
