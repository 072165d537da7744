// What checks know of a work-group that is being executed: how far its threads have come between barriers, what they
// have fenced, and its local memory's marks.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "emulator/check/barrier_phase.h"
#include "emulator/check/command_records.h"
#include "emulator/check/local_marks.h"
#include "emulator/check/mark.h"
#include "emulator/check/named_barriers.h"
#include "emulator/check/private_lanes.h"
#include "emulator/check/release_clock.h"
#include "emulator/check/shadow.h"
#include "emulator/check/spin_watch.h"
#include "emulator/check/version.h"

namespace zetl::emulator::check {

/// The two memories that fences and barriers order by themselves.
enum class Memory : std::uint8_t { local, global };

/// Used by the worker that has the group's turn.
class GroupState {
  public:
    struct Thread {
        bool unfenced[2] = {};          ///< by Memory: has written since its last fence
        std::uint32_t visible[2] = {};  ///< by Memory: what it wrote before this epoch, others see behind barriers
        Acquired read;                  ///< released at addresses that its atomics read, and not fenced since
        Acquired released;              ///< what its next atomic releases: empty before its first fence
        bool wide = false;              ///< it has fenced for other groups, too
        bool hasAtomics = false;        ///< has executed one
        bool hasReleased = false;       ///< has executed one behind a fence
        std::uint32_t fences = 0;       ///< that it has executed behind an atomic
        PrivateLanes privateLanes;
        SpinWatch spin;
        isa::Line atomicAt = isa::kNoLine;  ///< where its last atomic was
    };

    /// An allocation that its threads have accessed, and what is known of it.
    struct Accessed {
        std::uint64_t tableVersion = 0;   ///< AllocationTable::version() before it was looked for
        std::uint64_t shadowVersion = 0;  ///< Shadow::version() before its cells were; 0: they were not
        const machine::Allocation* allocation = nullptr;
        Cells* cells = nullptr;
        std::uint64_t fromWithin = 0;  ///< a launch in which `line` makes its addresses from an argument into it
        isa::Line line = isa::kNoLine;
    };
    /// Some are remembered, by the messages that access them: looking for one takes as long as judging the access.
    Accessed& accessedBy(std::uint32_t message) noexcept { return accessed_[message % accessed_.size()]; }

    /// A pointer that a launch's threads were given lies at that byte of the registers, as an instruction saw it that
    /// made addresses from it: messages behind that do not read it, so it may be elsewhere by then.
    void note(std::uint64_t launch, std::int32_t place, std::uint64_t pointer) noexcept {
        notedAt(place) = {launch, place, pointer};
    }
    /// Null if it is not known. The pointer is good until the next note().
    const std::uint64_t* noted(std::uint64_t launch, std::int32_t place) const noexcept {
        const Noted& last = notedAt(place);
        return last.launch == launch && last.place == place ? &last.pointer : nullptr;
    }

    /// The group that is in the place now; forgets another one that was there, and returns true.
    bool enter(std::uint64_t launch, std::uint64_t group, std::uint32_t threads, std::uint32_t localBytes,
               std::uint32_t barriers = 1);

    /// Bytes of its local memory that belong to no argument.
    void setLocalGaps(std::span<const std::array<std::uint32_t, 2>> gaps);

    /// The same for a group of the same launch in its place, of whose threads nothing is known yet nor will be.
    void pass(std::uint64_t group) noexcept {
        progresses();
        group_ = group;
    }
    /// The next group that enters is taken for another one.
    void leave() noexcept { launch_ = 0; }

    /// The command that the group is of; null if it is not known.
    void setCommand(std::shared_ptr<const CommandRecord> command) noexcept { command_ = std::move(command); }
    const CommandRecord* command() const noexcept { return command_.get(); }

    /// Another one for each object, as far as possible.
    std::uint32_t place() const noexcept { return place_; }
    std::uint64_t group() const noexcept { return group_; }
    /// What marks of a thread hold: the barriers that its group has passed, or of a group with several barriers those
    /// that it has signalled itself.
    std::uint32_t epochOf(std::uint32_t thread) const noexcept { return named_.any() ? named_.timeOf(thread) : epoch_; }
    /// If the group has several barriers, they say what comes behind what.
    const NamedBarriers& named() const noexcept { return named_; }
    Thread& thread(std::uint32_t index) noexcept { return threads_[index]; }
    const Acquired& acquired() const noexcept { return acquired_; }
    BarrierPhase& phase() noexcept { return phase_; }
    /// Null if the kernel has no local memory, or the host has none for it.
    LocalMarks* local() const noexcept { return local_.get(); }
    /// By which host code settles its threads' reads of local memory, as long as the group is in the place.
    const isa::LocalReads& localReads() const noexcept { return localReads_; }

    /// One of its threads has changed memory, met others, or begun. Others may ask how often that was.
    void progresses() noexcept { progress_.store(progress() + 1, std::memory_order_relaxed); }
    std::uint64_t progress() const noexcept { return progress_.load(std::memory_order_relaxed); }

    void wrote(std::uint32_t thread, Memory memory) noexcept { threads_[thread].unfenced[indexOf(memory)] = true; }
    void fence(std::uint32_t thread, Memory memory, bool withinGroup);
    /// The thread has signalled a barrier that all threads of the group signal. The last one begins the next epoch.
    void arrive(std::uint32_t thread) noexcept;
    /// The same of one of several barriers.
    void arrive(std::uint32_t thread, const isa::BarrierSignal& signal);
    /// The thread has ordered itself by an atomic at that address.
    void atomic(std::uint32_t thread, std::uint64_t address, ReleaseClock& clock);
    /// The thread has released something: others that acquire that do not see what it writes now.
    bool writesLate(std::uint32_t thread) const noexcept {
        return threads_[thread].fences != 0 || threads_[thread].hasReleased;
    }
    LateWriter lateWriter(std::uint32_t thread) const noexcept {
        return {thread, threads_[thread].fences, epochOf(thread)};
    }
    /// Whether what a thread wrote in an earlier epoch is seen in this one.
    bool isVisible(std::uint32_t thread, std::uint32_t epoch, Memory memory) const noexcept {
        return epoch < threads_[thread].visible[indexOf(memory)];
    }
    /// Of what any thread wrote in local memory before this epoch, the same is true.
    std::uint32_t localVisible() const noexcept { return localVisible_; }

  private:
    void updateReads() noexcept;
    void forgetAcquired() noexcept;

    struct Noted {
        std::uint64_t launch = 0;
        std::int32_t place = -1;
        std::uint64_t pointer = 0;
    };
    static constexpr std::size_t kNoted = 64;
    static constexpr std::uint32_t kMostThreads = 64;
    static constexpr std::size_t kAccessed = 64;  // most kernels have fewer messages
    const Noted& notedAt(std::int32_t place) const noexcept {
        return noted_[static_cast<std::size_t>(place) / sizeof(std::uint64_t) % kNoted];
    }
    Noted& notedAt(std::int32_t place) noexcept { return const_cast<Noted&>(std::as_const(*this).notedAt(place)); }

    static std::size_t indexOf(Memory memory) noexcept { return static_cast<std::size_t>(memory); }

    const std::uint32_t place_ = static_cast<std::uint32_t>(nextVersion());
    std::atomic<std::uint64_t> progress_{0};
    std::uint64_t launch_ = 0;
    std::uint64_t group_ = ~std::uint64_t{0};
    std::uint32_t epoch_ = 0;
    std::uint64_t arrived_ = 0;  // threads, a bit each
    std::uint64_t everybody_ = 0;
    std::uint32_t localVisible_ = 0;
    std::uint32_t localBytes_ = 0;
    bool showsReads_ = true;  // all gaps are of whole granules
    isa::LocalReads localReads_;
    std::vector<Thread> threads_;
    Acquired acquired_;  // by any of its threads
    BarrierPhase phase_;
    NamedBarriers named_;
    std::unique_ptr<LocalMarks> local_;
    std::array<Accessed, kAccessed> accessed_{};
    std::array<Noted, kNoted> noted_{};
    std::shared_ptr<const CommandRecord> command_;
};

}  // namespace zetl::emulator::check
