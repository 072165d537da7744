// A sub-slice in the model: engines that issue the instructions of the threads on them, and the queue of its
// work-groups.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "emulator/machine/model/memory_system.h"
#include "emulator/machine/model/thread_run.h"

namespace zetl::emulator::machine {

/// The trace of a work-group.
struct GroupTrace {
    std::uint64_t index = 0;  ///< in its dispatch
    std::vector<ThreadTrace> threads;
};

/// What a work-group takes of a sub-slice.
struct GroupNeed {
    std::uint32_t threads = 1;
    std::uint32_t slots = 1;  ///< of each thread: 2 with a large register file
    std::uint32_t slmBytes = 0;
};

/// Simulates in windows of time, so that the sub-slices of a tile meet in its caches in about the order of time. Not
/// thread-safe.
class Subslice {
  public:
    Subslice(const DeviceProfile& profile, std::uint32_t index, MemorySystem& memory, LineStalls& stalls,
             Counts& counts);

    /// Groups run in the order in which they are added, as soon as there is room for them.
    void add(const GroupTrace& group, const GroupNeed& need);
    /// Time of the first thing that is still to happen; kNever: nothing is left.
    std::uint64_t next() const noexcept { return next_; }
    /// Everything up to `end`, this excluded.
    void run(std::uint64_t end);
    /// It goes no further, though threads are loaded: what those did so far counts as if they ended here.
    void pause() noexcept;
    /// The queue may begin from this time on.
    void begin(std::uint64_t time);
    /// When its last thread ended, or did what was last seen of it.
    std::uint64_t finished() const noexcept { return finished_; }
    /// It came to the end of what is known of a thread that goes on: the simulation is over, and what was found out so
    /// far is what will be found out of it.
    bool unknown() const noexcept { return unknown_; }
    /// Instructions that the traces held.
    std::uint64_t replayed() const noexcept { return replayed_; }

    static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  private:
    struct Group {
        Group(const GroupTrace& of, const GroupNeed& takes) : trace(of), need(takes), barrier(takes.threads) {}
        const GroupTrace& trace;
        GroupNeed need;
        GroupBarrier barrier;
        std::vector<std::unique_ptr<ThreadRun>> threads;
        std::vector<std::uint32_t> engineOf;
        std::size_t idle = 0;  ///< threads that have ended or wait at the barrier

        /// Nobody goes on by itself.
        bool stuck() const noexcept { return idle == trace.threads.size(); }
    };
    struct Resident {
        ThreadRun* thread = nullptr;
        Group* group = nullptr;
        std::uint32_t slot = 0;  ///< of the tile
        Port port = Port::other;
        std::uint64_t ready = kNever;
        std::uint64_t lastIssue = 0;

        /// What the thread's next instruction needs.
        void refresh() noexcept {
            if (thread->ended()) return;
            port = thread->line().port;
            ready = thread->blocked() ? kNever : thread->ready();
        }
    };
    struct Engine {
        std::vector<Resident> residents;
        std::array<std::uint64_t, kPorts> portFree{};
        std::uint64_t now = 0;
        std::uint64_t next = kNever;
        std::uint32_t slots = 0;  ///< taken
        std::uint64_t loadedSince = 0;
        std::uint64_t activeUntil = 0;   ///< something of it works until then
        std::uint64_t pipeUntil = 0;     ///< some pipe does
        std::uint64_t severalUntil = 0;  ///< at least two pipes do
    };

    void startGroups(std::uint64_t time);
    void start(Group& group, std::uint64_t time);
    void load(Group& group, std::uint32_t index, std::uint64_t time);
    std::uint32_t freeSlot(const Engine& engine) const noexcept;
    void run(Engine& engine, std::uint64_t end);
    void findNext() noexcept;
    static Resident* choose(Engine& engine, std::uint64_t& time) noexcept;
    bool issue(Engine& engine, Resident& resident, std::uint64_t time);
    std::uint64_t answer(const Resident& resident, std::uint64_t time);
    std::uint64_t answerAccess(const Resident& resident, std::uint64_t time);
    void work(Engine& engine, const LineSchedule& line, std::uint64_t time) noexcept;
    void retire(Engine& engine, Resident& resident);
    void wake(Group& group);
    void wake(Group& group, std::size_t thread, std::uint64_t forced);
    void end(Group& group, std::uint64_t time);
    void unload(Engine& engine, std::uint64_t time) noexcept;

    const DeviceProfile& profile_;
    const std::uint32_t index_;
    MemorySystem& memory_;
    LineStalls& stalls_;
    Counts& counts_;
    std::deque<std::unique_ptr<Group>> waiting_;
    std::vector<std::unique_ptr<Group>> running_;
    std::vector<std::unique_ptr<Group>> ended_;  ///< until the engines have let go of them
    std::vector<Engine> engines_;
    std::uint32_t slmFree_;
    std::uint64_t next_ = kNever;
    std::uint64_t finished_ = 0;
    std::uint64_t replayed_ = 0;
    bool unknown_ = false;
};

}  // namespace zetl::emulator::machine
