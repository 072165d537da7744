// Watching lines of a program. Unwatched lines cost nothing: a watch replaces the function pointer of the line's first
// step.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "emulator/isa/instruction_set.h"
#include "emulator/isa/program.h"
#include "emulator/isa/step.h"
#include "emulator/isa/thread.h"
#include "isa/xe/access_shape.h"
#include "isa/xe/memory_space.h"

namespace zetl::emulator::isa {

/// What the lanes of a thread access at a line.
struct PlannedAccess {
    Line line = 0;
    std::uint32_t bytes = 0;  ///< of all lanes
    std::uint32_t addresses =
        1;  ///< one, from which all lanes access neighbouring bytes in their order, or one per lane
};

/// Threads of successive groups along the first dimension that are about to run, all lanes on, and all that they access
/// but for what the launch gives them.
struct GroupAccesses {
    Thread& thread;                         ///< they run in its place, which is that of the first one
    std::span<const PlannedAccess> each;    ///< by a thread, in its order
    std::span<const std::uint64_t> begins;  ///< addresses, by thread and `each`, as many as that says
    std::uint32_t first = 0;                ///< thread of the first group
    std::uint32_t perGroup = 0;
    std::uint32_t count = 0;  ///< of threads
};

/// Called before a watched line executes, by steps and by host code alike, on the worker that runs the thread; so it is
/// called from all workers at once. Must not throw, block, or resume the thread. Several observers of one line are
/// called in no particular order.
///
/// The thread's registers and flags hold what the line is about to read, and may be written. `active` is the execution
/// mask. Of the rest of the thread, what tells where it is and where lanes wait (pc, ip(), executed, waiting) is not up
/// to date. Global memory may lack atomic additions of the thread whose results nobody reads (PendingAdditions).
class LineObserver {
  public:
    virtual ~LineObserver() = default;
    virtual void beforeLine(Thread& thread, Line line) noexcept = 0;

    /// Whether it may decide for many threads at once that their lines need not be reported: passes().
    virtual bool judgesGroups() const noexcept { return false; }
    /// The same of threads some of whose accesses have an address per lane. These follow from what the threads load,
    /// which others may change before the threads run; if they do, that is a race.
    virtual bool judgesLanes() const noexcept { return false; }
    /// How many of these threads, from the first on, need not be reported. It may be asked about a thread again, whose
    /// lines are then reported. Called like beforeLine().
    virtual std::uint32_t passes(const GroupAccesses&) noexcept { return 0; }
};

/// Lines that host code reports to an observer; lines behind the end of `lines` are not among them.
struct Reported {
    LineObserver* to = nullptr;
    std::vector<bool> lines;
    std::vector<bool> idle = {};  ///< of these, those that are not reported while Thread::idle has the bit, and before
                                  ///< which the observer writes neither registers nor flags
    std::uint8_t idleBit = 0;
    /// By line, if the observer follows something in Thread::followed: idle lines that use none of it are not reported.
    /// Without, no idle line is.
    std::vector<Followed> uses = {};
    std::vector<bool> localReads =
        {};  ///< of the lines, those that are not reported if host code settles them by
             ///< Thread::localReader, and before which the observer writes neither registers nor flags
    bool contains(Line line) const noexcept { return line < lines.size() && lines[line]; }
    bool isIdle(Line line) const noexcept { return line < idle.size() && idle[line]; }
    bool isLocalRead(Line line) const noexcept { return line < localReads.size() && localReads[line]; }
    Followed usedBy(Line line) const noexcept { return line < uses.size() ? uses[line] : Followed{}; }
};

/// The memory access that a message line is about to make.
struct MemoryAccess {
    MemorySpace space = MemorySpace::global;
    bool write = false;  ///< atomics both read and write
    bool atomic = false;
    std::uint32_t lanes =
        0;  ///< lanes that access memory; lane 0 only for block messages; rows of two-dimensional blocks
    std::uint32_t bytesPerLane = 0;
    std::array<std::uint64_t, 32> address;  ///< by lane, meaningful for the lanes above
    std::uint32_t bytes() const noexcept;   ///< all lanes together
};

/// Bytes that lanes of a message access together, in one piece.
struct AccessSpan {
    std::uint64_t address = 0;
    std::uint32_t bytes = 0;
};

/// All that a message accesses, in the order of its lanes; empty if it takes more than two pieces.
struct AccessSpans {
    std::array<AccessSpan, 2> spans;
    std::uint32_t count = 0;
    const AccessSpan* begin() const noexcept { return spans.data(); }
    const AccessSpan* end() const noexcept { return spans.data() + count; }
};

/// What is known about a line's access before it executes, for frequent queries.
struct AccessPlan {
    AccessShape shape;
    LaneMask lanes;
    std::uint32_t payload = 0;  ///< byte of the registers at which the payload begins
    std::int32_t numbers = -1;  ///< byte of s0 from which on it has the numbers of the payload's registers instead
    bool isPlain = false;       ///< the payload holds addresses of lanes or of a block, to which an offset is added

    /// Nothing if the instruction is no memory message. Ignores parts of its descriptor that are in registers.
    static std::optional<AccessPlan> of(const Instruction& in) noexcept;
    /// The access of the instruction in this thread now; call it when accessOf() may be called.
    MemoryAccess access(const Thread& thread) const noexcept;
    /// The same in short for most messages: 16 lanes, or twice as many, that access neighbouring bytes in their order
    /// or all the same ones, or a block. Empty for other messages, for atomics, and for addresses that wrap.
    AccessSpans spans(const Thread& thread) const noexcept;
};

/// Lanes for which the line would execute now: execution mask, NoMask and predicate.
std::uint32_t lanesOf(const Thread& thread, Line line) noexcept;

/// The access of the line if its instruction is a memory message; call from beforeLine(), when payload registers are
/// valid.
std::optional<MemoryAccess> accessOf(const Thread& thread, Line line) noexcept;

}  // namespace zetl::emulator::isa
