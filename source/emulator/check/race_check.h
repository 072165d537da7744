// Finds accesses that nothing orders. Judged by the memory model, not by the order that happened to run: groups of a
// launch run side by side unless atomics and fences order them, and threads of a group between two barriers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "emulator/check/group_state.h"
#include "emulator/check/local_marks.h"
#include "emulator/check/observations.h"
#include "emulator/check/planned_lanes.h"
#include "emulator/check/shadow.h"
#include "emulator/isa/observe.h"

namespace zetl::emulator::check {

/// The message that is looked at, and whose it is.
struct Accessing {
    const isa::Thread& thread;
    isa::Line line;
    std::uint32_t index;    ///< of the thread in its group
    std::uint64_t launch;   ///< Dispatch::id
    std::uint64_t command;  ///< that the launch is part of, or its own number if it is of none
    const machine::LoadedProgram* program;
    const isa::MemoryAccess& access;
    bool ofExchange = false;  ///< a load that is the first half of an atomic operation
    bool ofGroup = false;     ///< an atomic that orders only what the work-items of one group see
};

/// A message of which not more is known than the bytes that all its lanes access together. No atomic.
struct AccessingRun {
    isa::Line line;
    std::uint32_t index;
    std::uint64_t command;
    std::uint64_t address;
    std::uint32_t bytes;
    bool write;
    bool ofExchange = false;
};

/// The same, of the pieces of local memory that all its lanes access together.
struct AccessingSpans {
    isa::Line line;
    std::uint32_t index;
    const isa::AccessSpans& spans;
    bool write;
    bool ofExchange = false;
};

/// The same, of what each lane accesses of local memory.
struct AccessingWords {
    isa::Line line;
    std::uint32_t index;
    const LaneWords& words;
    bool write;
    bool ofExchange = false;
};

/// The same, of what each lane accesses of global memory.
struct AccessingLanes {
    isa::Line line;
    std::uint32_t index;
    std::uint64_t command;
    const PlannedLanes& lanes;
    bool write;
    bool ofExchange = false;
};

/// Thread-safe.
class RaceCheck {
  public:
    RaceCheck(Observations& observations, ReleaseClock& clock) : observations_(observations), clock_(clock) {}

    void local(GroupState& group, const Accessing& accessing);
    /// Of lanes whose addresses are in the allocation.
    void global(GroupState& group, const Accessing& accessing, std::uint32_t lanes, Cells& cells,
                const machine::Allocation& allocation);

    /// The same for lanes that access these bytes of local memory, or of the allocation, and no others. False if
    /// somebody has to look at what each lane does: then it has to be told once more, by the functions above.
    bool localSpans(GroupState& group, const AccessingSpans& accessing);
    /// Lanes that write write to words of their own.
    bool localWords(GroupState& group, const AccessingWords& accessing);
    bool globalRun(GroupState& group, const AccessingRun& run, Cells& cells, const machine::Allocation& allocation);
    static bool globalLanes(GroupState& group, const AccessingLanes& accessing, Cells& cells,
                            const machine::Allocation& allocation);

    /// Of a command that is no launch, or of the host: these bytes of an allocation. Found races are observed under
    /// launchOf() its number.
    void transfer(const CommandRecord& command, std::uint64_t address, std::uint64_t bytes, bool write, Cells& cells,
                  const machine::Allocation& allocation);
    /// What stands for such a command in the place of a launch.
    static constexpr std::uint64_t launchOf(std::uint64_t command) noexcept { return command | std::uint64_t{1} << 63; }

  private:
    struct Place {
        Memory memory;
        Cells* cells;         ///< of global memory
        LocalMarks* marks;    ///< of local memory
        std::uint64_t begin;  ///< address of the first granule
        const machine::Allocation* allocation;

        DeferredMarks* deferred() const noexcept { return cells != nullptr ? cells->deferred() : nullptr; }
        std::uint64_t count() const noexcept { return marks != nullptr ? marks->count() : cells->count(); }
    };
    static bool isDeferred(const GroupState& group, const Accessing& accessing, std::uint32_t which, const Place& place,
                           DeferredMarks& deferred);
    /// Marks of these bytes are going to be looked at.
    static void expose(DeferredMarks& deferred, const Place& place, bool write, std::uint64_t address,
                       std::uint64_t bytes, const DeferredMarks::Command& command);
    void lanes(GroupState& group, const Accessing& accessing, std::uint32_t lanes, const Place& place);
    void lane(GroupState& group, const Accessing& accessing, std::uint32_t lane, const Place& place, Mark mark);
    void granule(GroupState& group, const Accessing& accessing, std::uint32_t lane, const Place& place,
                 const Mark& mark, std::uint64_t granule);
    /// The same, of what is known of the granule.
    template <class Known>
    void look(GroupState& group, const Accessing& accessing, std::uint32_t lane, const Place& place, const Mark& mark,
              Known&& known);
    /// Of an access to whole granules, calls look(granule) for each that somebody has to look at closely, until one
    /// says false.
    template <class Look>
    static bool wholly(const GroupState& group, const Place& place, const Mark& mark, isa::Line line, bool write,
                       std::uint64_t first, std::uint64_t end, Look&& look);
    /// An atomic of such a scope: finds another group's at the same address.
    void meet(const GroupState& group, const Accessing& accessing, std::uint32_t lane, const Place& place);
    void wroteLate(const GroupState& group, const Accessing& accessing, std::uint64_t address, const Place& place);
    bool isLate(const GroupState& group, const Place& place, const Mark& writer, const Mark& now,
                std::uint64_t granule) const;
    /// Lanes whose atomics change nothing of what is known.
    std::uint32_t settledAtomics(const GroupState& group, const Accessing& accessing, std::uint32_t which,
                                 const Place& place, Mark mark) const;
    void lanesOfOneMessage(GroupState& group, const Accessing& accessing, std::uint32_t which, const Place& place);
    bool quickly(GroupState& group, const Accessing& accessing, std::uint32_t which, const Place& place, Mark mark);
    /// The same for words of local memory.
    bool words(GroupState& group, const Accessing& accessing, std::uint32_t which, const Place& place,
               const Mark& mark);
    bool scattered(GroupState& group, const Accessing& accessing, std::uint32_t which, const Place& place,
                   const Mark& mark);
    bool run(GroupState& group, const AccessingRun& run, const Place& place);
    static bool deferred(const GroupState& group, const AccessingLanes& accessing, std::span<const std::uint32_t> words,
                         Cells& cells);
    static bool settled(const GroupState& group, const AccessingLanes& accessing, std::span<const std::uint32_t> words,
                        Cells& cells);
    void report(const GroupState& group, const Accessing& accessing, std::uint32_t lane, const Place& place,
                const Mark& before, isa::Line line, bool wasWrite);

    Observations& observations_;
    ReleaseClock& clock_;
};

}  // namespace zetl::emulator::check
