// The requirements and the effects of issuing an instruction, packed, since the timing model's replay reads them for
// every instruction of every thread.
#pragma once

#include <cstdint>

#include "emulator/isa/instruction_set.h"
#include "isa/xe/scoreboard.h"

namespace zetl::emulator::machine {

/// The parts of an engine that take instructions, each from one thread at a time.
enum class Port : std::uint8_t { real, integer, math, matrix, message, control, other };
inline constexpr int kPorts = 7;
inline constexpr Port kNoPort{kPorts};     ///< for what no port takes
inline constexpr Port kQueue{kPorts + 1};  ///< for messages that access memory: their port, and room in the queue

/// Registers on which the hardware itself makes readers wait: accumulators 0 to 7, then flags 0 to 3.
inline constexpr int kAccumulators = 8;
inline constexpr int kWatchedRegisters = kAccumulators + 4;

enum class LineKind : std::uint8_t {
    arithmetic,
    memory,  ///< a message whose access is in the trace
    fence,
    barrierSignal,
    otherMessage,
    barrierWait,
    awaitRead,     ///< sync.allrd
    awaitWritten,  ///< sync.allwr
    branch,
    other,
};

/// Where a thread keeps the times at which its results are available: words of an array.
namespace result_place {

inline constexpr std::uint8_t kTokens = 32;
inline constexpr std::uint8_t kDistances = 8;                   ///< words of a ring: the latest results of a pipe
inline constexpr std::uint8_t kUnordered = isa::kInOrderPipes;  ///< ring for results in any order; it is never read
inline constexpr std::uint8_t kNoPipe = kUnordered + 1;         ///< ring that is never written to
inline constexpr std::uint8_t kRings = kNoPipe + 1;

inline constexpr std::uint8_t kNone = 0;    ///< nothing to wait for
inline constexpr std::uint8_t kUnread = 1;  ///< for times that nothing waits for
inline constexpr std::uint8_t kSourceRead = 2;
inline constexpr std::uint8_t kWritten = kSourceRead + kTokens;
inline constexpr std::uint8_t kWatched = kWritten + kTokens;
inline constexpr std::uint8_t kRing = kWatched + kWatchedRegisters;
inline constexpr std::uint8_t kCount = kRing + kRings * kDistances;

}  // namespace result_place

struct IssuePlan {
    LineKind kind = LineKind::other;
    Port port = Port::other;
    Port gate = Port::other;   ///< what must be free to issue it: its port, or the queue
    std::uint8_t slots = 1;    ///< cycles for which it occupies its port
    bool lastOfBlock = false;  ///< the next block is in the trace
    bool wide = false;         ///< a message of 32 lanes
    bool alone = false;        ///< except for its port, other threads neither notice it nor use its effects
    /// Ports that must work at the same time for a counter of both.
    Port besideInteger = kNoPort;  ///< as real beside integer
    Port besideMatrix = kNoPort;   ///< as real beside matrix
    bool waitsForMore = false;     ///< than these list: the LineSchedule has all
    std::uint8_t distancePipe = result_place::kNoPipe;
    std::uint8_t distance = 0;
    std::uint8_t registers[2] = {result_place::kNone, result_place::kNone};
    std::uint8_t token = result_place::kNone;
    /// Where its effects are recorded.
    std::uint8_t pipe = result_place::kUnordered;
    std::uint8_t sourceRead = result_place::kUnread;
    std::uint8_t written = result_place::kUnread;
    std::uint8_t changes[2] = {result_place::kUnread, result_place::kUnread};
    std::uint32_t latency = 0;  ///< of arithmetic and branches, from issue
};

struct LineSchedule;

/// `next`: the schedule of the line behind it; null for the last line.
IssuePlan planOf(const LineSchedule& line, const LineSchedule* next) noexcept;

}  // namespace zetl::emulator::machine
