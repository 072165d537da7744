// The history of a recorded launch: what its threads did, in which order, and what there was before.
//
// One host thread runs the launch. Its log says which thread executed how many instructions; from a moment on, the same
// log gives the same states. Moments (memory, by pages that were written, and threads) are kept every so many
// instructions. To go back is to put back the last moment before the time that is wanted, and to repeat the rest.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "emulator/isa/environment.h"
#include "emulator/machine/control.h"
#include "emulator/machine/execution/code_marks.h"
#include "emulator/machine/execution/footprints.h"
#include "emulator/machine/execution/group_moment.h"
#include "emulator/machine/execution/page_record.h"
#include "emulator/machine/execution/worker.h"
#include "emulator/machine/tools/tally.h"
#include "emulator/machine/tools/tile_places.h"
#include "emulator/machine/tools/turns.h"

namespace zetl::emulator::machine {

class ActiveDispatch;
class AllocationTable;
class EntrySearch;
class WorkGroup;
struct Allocation;

/// One for the machine, which records one launch at a time and has one worker. In a turn it belongs to the worker,
/// between turns to the thread that holds the mutex of turns. Only changes() and changed() may come during a turn: they
/// touch atomics, and, under a lock, the pages that are written.
class History final : public Recorded {
  public:
    /// Null unless ZETL_EMULATOR_RECORD asks for it.
    static std::unique_ptr<History> configured(Quiescence& quiescence, const AllocationTable& table);
    History(Quiescence& quiescence, const AllocationTable& table);
    ~History();

    /// Groups of a launch that run at the same time: their threads make up each moment.
    static constexpr std::uint32_t kGroupsAtOnce = 8;

    // For the tile.
    void placed(WorkGroup& group) ZETL_REQUIRES(kTurns);
    void left(const WorkGroup& group) ZETL_REQUIRES(kTurns);

    // For the worker, in a turn.

    /// A group begins in its place.
    void begins(WorkGroup& group);
    /// The group has ended, and there is none left for its place. Returns whether the place is to wait for the others.
    bool keepsEnded(const WorkGroup& group);
    /// No group of its launch will run any more.
    bool isOver(const WorkGroup& group) const noexcept;
    /// Around a thread's turn.
    void beforeTurn(Worker& worker, const HardwareThread& thread);
    void afterTurn(const HardwareThread& thread, std::int64_t quantum, std::uint64_t executed);

    // For the environment of threads.

    /// False while the past is repeated.
    bool isPresent() const noexcept { return live_.load(std::memory_order_relaxed); }

    /// A thread is about to access memory in this window, which may become smaller.
    void accesses(const HardwareThread& thread, std::uint64_t address, std::uint64_t bytes, bool write,
                  isa::MemoryWindow& window) noexcept;
    /// Device time stands still during a thread's turn, and is the same when that is repeated.
    std::uint64_t timestamp(std::uint64_t now) noexcept;

    HistoryReport ask(const HistoryRequest& request, std::span<const MarkedCode> code) override ZETL_REQUIRES(kTurns);
    void changes(std::uint64_t address, std::uint64_t bytes) override ZETL_REQUIRES(kTurns);
    void changed() override ZETL_REQUIRES(kTurns);
    void goesOn() override ZETL_REQUIRES(kTurns);

  private:
    friend class EntrySearch;

    /// A turn of a thread, or, without instructions, the begin of a group in a place, or the end of the last one there.
    struct Entry {
        std::uint64_t start;
        std::uint64_t count;
        std::uint64_t group;  ///< begin: its number in the launch
        std::uint32_t place;
        std::uint32_t thread;
        std::int64_t quantum;  ///< 0: it ended before the quantum did, by a stop that does not repeat itself
        std::uint32_t footprint = Footprints::kUnknown;  ///< of a time in which it, and maybe others, ran
        bool isTurn() const noexcept { return thread < kEnd; }
        std::uint64_t end() const noexcept { return start + count; }
    };
    static constexpr std::uint32_t kBegin = ~0u;
    static constexpr std::uint32_t kEnd = kBegin - 1;
    struct Moment {
        std::uint64_t time;
        std::size_t entry;
        bool isPinned;  ///< the debugger changed something, so it cannot be repeated from an earlier moment
        std::vector<GroupMoment> groups;  ///< by place
        PageRecord pages;                 ///< between this moment and the next
    };
    /// Bytes whose accesses are looked for.
    struct Wanted {
        std::uint64_t begin = 0;
        std::uint64_t end = 0;
        bool reads = false;
        std::optional<std::uint32_t> place{};  ///< they are in the local memory of the group there
        std::size_t since = 0;                 ///< earlier entries of the log do not count: another group was there
        bool touched = false;
        bool isGlobal() const noexcept { return !place; }
        bool contains(std::uint64_t address, std::uint64_t bytes) const noexcept {
            return address < end && begin < address + bytes;
        }
    };
    /// Sees each instruction of a thread before it executes, and what it did.
    struct Visitor {
        std::function<bool(const Entry&)> wants;  ///< each instruction of this entry
        std::function<void(const Entry&, HardwareThread&, std::uint64_t)> before;
        std::function<void(const Entry&, HardwareThread&, std::uint64_t)> after;
        bool stopsAtBreakpoints = false;  ///< `before` is called at breakpoints only
    };

    bool note(const Entry& entry) noexcept;
    void dropLog() noexcept;
    void keepFootprint() noexcept;
    void forget() noexcept;
    void give(HistoryAnswer::Reason reason) noexcept;
    bool records(const WorkGroup& group) const noexcept;
    void narrow(std::uint64_t address, std::uint64_t bytes, bool write, isa::MemoryWindow& window) noexcept;
    /// False if the host has no memory for them.
    bool keepPages(std::uint64_t address, std::uint64_t bytes, const isa::MemoryWindow& window) noexcept
        ZETL_REQUIRES(pagesMutex_);
    const ActiveDispatch& launch() const noexcept { return *launch_.load(std::memory_order_relaxed); }
    void keepMoment(bool shares);
    void makeRoom();
    PageRecord& written() noexcept { return live_ ? moments_.back().pages : temporary_; }
    std::uint64_t kept() const noexcept;

    std::uint64_t beginning() const noexcept { return moments_.empty() ? now_ : moments_.front().time; }
    std::uint64_t ending() const noexcept { return log_.empty() ? 0 : log_.back().end(); }
    std::size_t momentBefore(std::uint64_t time) const noexcept;
    void leavePresent() ZETL_REQUIRES(kTurns);
    void becomePresent() ZETL_REQUIRES(kTurns);
    void toMoment(std::size_t index) ZETL_REQUIRES(kTurns);
    void go(std::uint64_t time, std::uint64_t most) ZETL_REQUIRES(kTurns);
    void repeat(std::uint64_t until, const Visitor* visitor = nullptr);
    void answerTo(const HistoryRequest& request, std::span<const MarkedCode> code, HistoryReport& report)
        ZETL_REQUIRES(kTurns);
    std::uint64_t repeatTurn(const Entry& entry, std::uint64_t count, const Visitor* visitor);
    void advance(HardwareThread& thread, std::int64_t quantum, bool single);
    bool advanceHidden(HardwareThread& thread, std::int64_t quantum, bool single);
    void attach(HardwareThread& thread);
    void giveUp() ZETL_REQUIRES(kTurns);
    void arrive() ZETL_REQUIRES(kTurns);
    bool areStopped() const ZETL_REQUIRES(kTurns);

    std::optional<std::pair<std::uint32_t, std::uint32_t>> threadAt(std::uint32_t slot) const;
    std::optional<std::uint64_t> lastOf(std::uint32_t slot, std::uint64_t before, std::uint64_t back) const;
    std::optional<std::uint64_t> nextOf(std::uint32_t slot) const;
    std::size_t beginOf(std::uint32_t place, std::uint64_t before) const;
    void findHit(const HistoryRequest& request, HistoryAnswer& answer) ZETL_REQUIRES(kTurns);
    void findNextHit(const HistoryRequest& request, HistoryAnswer& answer) ZETL_REQUIRES(kTurns);
    void findAccess(const HistoryRequest& request, HistoryAnswer& answer) ZETL_REQUIRES(kTurns);
    void findEntry(const HistoryRequest& request, const CodeMarks& code, HistoryReport& report) ZETL_REQUIRES(kTurns);
    bool stopsAt(const HardwareThread& thread) const;
    bool isBreakpoint(const isa::Program& program, std::uint32_t ip) const;
    std::optional<std::size_t> lastMeetingBreakpoint(std::uint64_t time) const;
    std::vector<HistoryStep> wayOf(const HistoryRequest& request) ZETL_REQUIRES(kTurns);

    const AllocationTable& table_;
    Worker worker_;  ///< repeats
    Tally tally_;    ///< of what is repeated; nobody reads it

    std::atomic<ActiveDispatch*> launch_{nullptr};
    std::atomic<bool> others_{false};  ///< another launch was placed meanwhile
    std::atomic<bool> unkept_{false};  ///< there was no memory for what a debugger is about to write
    std::atomic<HistoryAnswer::Reason> broken_{HistoryAnswer::Reason::none};
    std::vector<WorkGroup*> places_;
    std::vector<bool> ended_;  ///< by place
    std::atomic<bool> over_{false};
    std::vector<Entry> log_;
    Footprints footprints_;
    const Tally* recorded_ = nullptr;  ///< of the worker that recorded
    std::size_t footprinted_ = 0;      ///< entries that have a footprint, if there was room for it ...
    std::uint64_t footprintedAt_ = 0;  ///< ... and the time then
    std::vector<Moment> moments_;
    Mutex pagesMutex_;  ///< held by the worker when it changes written() or moments_ in a turn, and by changes()
    std::uint64_t interval_ = 0;
    std::atomic<bool> live_{true};  ///< at the end of the log
    std::size_t base_ = 0;          ///< in the past: the moment from which it was repeated ...
    PageRecord temporary_;          ///< ... and what was written since
    std::uint64_t now_ = 0;
    std::atomic<std::uint64_t> soFar_{0};  ///< now_ as the worker left it, for those who ask during its turns
    std::size_t entry_ = 0;                ///< in the past: the next one, of which ...
    std::uint64_t offset_ = 0;             ///< ... so many instructions were executed
    std::atomic<std::uint64_t> turnStart_{0};
    std::atomic<std::uint64_t> clockBase_{0};
    std::atomic<bool> changed_{false};     ///< a debugger changed something: also while threads run
    std::atomic<bool> wasWritten_{false};  ///< the debugger changed something in the past, which does not last
    bool differs_ = false;                 ///< what is repeated is not what was recorded
    Wanted* wanted_ = nullptr;
    std::size_t touchedBy_ = 0;  ///< the last entry that touched what is wanted; log_.size(): none
};

}  // namespace zetl::emulator::machine
