// A sub-slice in the model: engines that issue the instructions of their threads, and room for work-groups.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "emulator/machine/model/memory_system.h"
#include "emulator/machine/model/replay_tally.h"
#include "emulator/machine/model/thread_run.h"

namespace zetl::emulator::machine {

/// The trace of a work-group.
struct GroupTrace {
    std::uint64_t index = 0;  ///< its number in the dispatch
    std::vector<ThreadTrace> threads;
};

/// What a work-group needs from a sub-slice.
struct GroupNeed {
    std::uint32_t threads = 1;
    std::uint32_t slots = 1;  ///< per thread: 2 with a large register file
    std::uint32_t slmBytes = 0;
};

/// Simulates in windows of time, so that the sub-slices of a tile meet in its caches in about the order of time, and
/// stops where it has room for another group, as long as there are more. Not thread-safe.
class Subslice {
  public:
    static constexpr std::size_t kMostThreads = 8;  ///< per engine

    /// What the sub-slices of a dispatch share, and what they find.
    struct Common {
        const DeviceProfile& profile;
        GroupNeed need;
        MemorySystem& memory;
        ReplayTally& tally;
        bool more = true;                        ///< there are groups that no sub-slice has
        std::vector<const GroupTrace*> ended{};  ///< groups that need their traces no more
    };

    /// `threads`: as many as threadsOf() the profile; they lie together with those of other sub-slices.
    Subslice(Common& common, std::uint32_t index, std::span<ThreadRun> threads);
    /// As `other` is now, with other threads.
    Subslice(const Subslice& other, Common& common, std::span<ThreadRun> threads);
    Subslice(const Subslice&) = delete;
    Subslice& operator=(const Subslice&) = delete;
    static std::size_t threadsOf(const DeviceProfile& profile) noexcept {
        return profile.eusPerSubslice * kMostThreads;
    }

    /// Since when there has been room for another group, and none at hand; kNever if there is none.
    std::uint64_t roomSince() const noexcept { return reserve_.empty() ? roomSince_ : kNever; }
    std::size_t groups() const noexcept { return running_.size(); }
    /// The group begins where there is room.
    void begin(const GroupTrace& group);
    /// It will begin once there is room. Null: a group without a trace.
    void reserve(const GroupTrace* group) { reserve_.push_back(group); }
    std::size_t reserved() const noexcept { return reserve_.size(); }

    /// The time of the first event that is still to happen; kNever if there is none.
    std::uint64_t next() const noexcept { return next_; }
    /// Simulates everything before `end`, or until there is room for a group and none at hand.
    void run(std::uint64_t end);
    /// It will run soon: fetches its threads into the host's cache, and then, before it runs, their traces.
    void prepareThreads() const noexcept;
    void prepareTraces() const noexcept;
    /// Adds what threads that go on have done so far. Returns when its last thread ended, or last did something that is
    /// known.
    std::uint64_t addLoaded(ReplayTally& tally) const noexcept;
    /// It reached the end of what is known about a thread that goes on: the simulation is over, and its results so far
    /// are final.
    bool unknown() const noexcept { return unknown_; }

    static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  private:
    static constexpr std::uint64_t kBlocked = ~std::uint64_t{0} >> 4;

    /// The place of a thread: engine, and number on it.
    struct Place {
        std::uint8_t engine = 0;
        std::uint8_t thread = kGone;
        static constexpr std::uint8_t kGone = 0xff;
        bool gone() const noexcept { return thread == kGone; }
    };
    struct Group {
        explicit Group(const GroupTrace& of)
            : trace(of), barrier(static_cast<std::uint32_t>(of.threads.size())), loaded(of.threads.size()) {}
        const GroupTrace& trace;
        GroupBarrier barrier;
        std::vector<Place> places;  ///< places of its threads
        std::size_t loaded;         ///< threads that have a place
        std::size_t idle = 0;       ///< threads that have ended or wait at the barrier

        /// No thread goes on by itself.
        bool stuck() const noexcept { return idle == trace.threads.size(); }
    };
    /// The loaded threads, in the order in which they last issued or began. Their data are found by number; the data
    /// needed to choose among them lie together.
    struct Residents {
        /// When the next instruction could issue, not counting its port; kBlocked for unused numbers.
        std::array<std::uint64_t, kMostThreads> ready = allBlocked();
        std::array<Port, kMostThreads> gate{};  ///< what must be free for it
        std::uint64_t order = 0;                ///< their numbers, one byte each
        std::uint32_t count = 0;
        std::uint32_t taken = 0;  ///< used numbers, one bit each
        std::uint32_t kept = 0;   ///< those of threads that ended, and keep their place for what is not in their traces
        std::array<Group*, kMostThreads> group{};
        std::array<std::uint8_t, kMostThreads> inGroup{};  ///< the thread's number in its group

        static constexpr std::array<std::uint64_t, kMostThreads> allBlocked() noexcept {
            std::array<std::uint64_t, kMostThreads> all{};
            all.fill(kBlocked);
            return all;
        }
        std::uint8_t add() noexcept;
        void remove(std::uint32_t number) noexcept;
        void moveBack(std::uint32_t rank, std::uint32_t number) noexcept;
        void await(std::size_t number, const ThreadRun& thread) noexcept;
    };
    struct Engine {
        std::array<std::uint64_t, kPorts + 2> portFree{};  ///< always 0 for kNoPort
        std::uint64_t now = 0;
        std::uint64_t next = kNever;
        Residents residents;
        std::uint64_t activeUntil = 0;   ///< some part of it works until then
        std::uint64_t pipeUntil = 0;     ///< some pipe works until then
        std::uint64_t severalUntil = 0;  ///< at least two pipes work until then
        std::uint64_t loadedSince = 0;
        std::uint32_t slots = 0;    ///< taken
        std::uint32_t blocked = 0;  ///< threads that wait at a barrier
    };
    /// The thread that can issue next, and when.
    struct Choice {
        std::uint64_t time = kNever;
        std::uint32_t rank = 0;  ///< in the order of the residents
        std::uint32_t number = 0;
    };

    /// The effect of an instruction on the barrier.
    struct Signal {
        bool made = false;
        bool opened = false;
    };

    void findRoom(std::uint64_t time) noexcept;
    void beginReserved();
    bool more() const noexcept { return common_.more || !reserve_.empty(); }
    bool stops() const noexcept { return unknown_ || (more() && roomSince_ != kNever); }
    void load(Group& group, std::uint32_t index, std::uint64_t time);
    void run(std::size_t engine, std::uint64_t end, std::uint64_t alone);
    /// No other engine wakes one of its threads, and no group that begins finds a place on it.
    bool goesOnAlone(const Engine& engine) const noexcept {
        return engine.blocked == 0 && (!more() || engine.slots + common_.need.slots > profile_.threadsPerEu);
    }
    void findNext() noexcept;
    Choice choose(Engine& engine) const noexcept;
    void refresh(Engine& engine, std::size_t number, const ThreadRun& thread) noexcept;
    void issue(Engine& engine, const Choice& choice, ThreadRun& thread);
    void settle(Engine& engine, std::uint32_t number, const ThreadRun& thread, Signal signal);
    std::uint64_t answer(ThreadRun& thread, std::uint32_t slot, std::uint64_t time);
    std::uint64_t answerAccess(ThreadRun& thread, std::uint32_t slot, std::uint64_t time);
    void work(Engine& engine, const Choice& choice, const IssuePlan& plan) noexcept;
    bool keeps(Engine& engine, std::uint32_t number);
    void retire(std::size_t engine, std::uint32_t number);
    void leave(std::size_t engine, std::uint32_t number);
    void wake(Group& group);
    void wake(Group& group, Place place, std::uint64_t forced);
    void end(Group& group, std::uint64_t time);
    void copyGroups(const Subslice& other);
    void unload(Engine& engine, std::uint64_t time) noexcept;
    ThreadRun& threadAt(std::size_t engine, std::size_t number) noexcept {
        return threads_[engine * kMostThreads + number];
    }
    ThreadRun& threadAt(Place place) noexcept { return threadAt(place.engine, place.thread); }

    Common& common_;
    const DeviceProfile& profile_;
    const std::uint32_t index_;
    MemorySystem& memory_;
    const std::uint64_t& unitFree_;  ///< of its load/store unit
    ReplayTally& tally_;
    std::deque<const GroupTrace*> reserve_;
    std::vector<std::unique_ptr<Group>> running_;
    std::vector<std::unique_ptr<Group>> ended_;  ///< kept until the engines have let go of them
    std::vector<Engine> engines_;
    const std::span<ThreadRun> threads_;  ///< by engine and number
    std::uint32_t slmFree_;
    std::uint64_t roomSince_ = 0;
    std::uint64_t next_ = kNever;
    std::uint64_t finished_ = 0;  ///< when its last thread ended
    bool unknown_ = false;
};

}  // namespace zetl::emulator::machine
