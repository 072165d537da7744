// What checks know of a work-group that is being executed: how far its threads have come between barriers, what they
// have fenced, and its local memory's marks.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "emulator/check/barrier_phase.h"
#include "emulator/check/command_records.h"
#include "emulator/check/mark.h"
#include "emulator/check/private_lanes.h"
#include "emulator/check/release_clock.h"
#include "emulator/check/shadow.h"
#include "emulator/check/spin_watch.h"

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
        PrivateLanes privateLanes;
        SpinWatch spin;
        isa::Line atomicAt = isa::kNoLine;  ///< where its last atomic was
    };

    /// The group that is in the place now; forgets another one that was there, and returns true.
    bool enter(std::uint64_t launch, std::uint64_t group, std::uint32_t threads, std::uint32_t localBytes);

    /// The command that the group is of; null if it is not known.
    void setCommand(std::shared_ptr<const CommandRecord> command) noexcept { command_ = std::move(command); }
    const CommandRecord* command() const noexcept { return command_.get(); }

    std::uint64_t group() const noexcept { return group_; }
    std::uint32_t epoch() const noexcept { return epoch_; }
    Thread& thread(std::uint32_t index) noexcept { return threads_[index]; }
    const Acquired& acquired() const noexcept { return acquired_; }
    BarrierPhase& phase() noexcept { return phase_; }
    /// Null if the kernel has no local memory, or the host has none for it.
    Cells* local() const noexcept { return local_.get(); }

    /// One of its threads has changed memory, met others, or begun. Others may ask how often that was.
    void progresses() noexcept { progress_.store(progress() + 1, std::memory_order_relaxed); }
    std::uint64_t progress() const noexcept { return progress_.load(std::memory_order_relaxed); }

    void wrote(std::uint32_t thread, Memory memory) noexcept { threads_[thread].unfenced[indexOf(memory)] = true; }
    void fence(std::uint32_t thread, Memory memory, bool withinGroup);
    /// The thread has signalled a barrier that all threads of the group signal. The last one begins the next epoch.
    void arrive(std::uint32_t thread) noexcept;
    /// The thread has ordered itself by an atomic at that address.
    void atomic(std::uint32_t thread, std::uint64_t address, ReleaseClock& clock);
    /// Whether what a thread wrote in an earlier epoch is seen in this one.
    bool isVisible(std::uint32_t thread, std::uint32_t epoch, Memory memory) const noexcept {
        return epoch < threads_[thread].visible[indexOf(memory)];
    }

  private:
    static std::size_t indexOf(Memory memory) noexcept { return static_cast<std::size_t>(memory); }

    std::atomic<std::uint64_t> progress_{0};
    std::uint64_t launch_ = 0;
    std::uint64_t group_ = ~std::uint64_t{0};
    std::uint32_t epoch_ = 0;
    std::uint64_t arrived_ = 0;  // threads, a bit each
    std::vector<Thread> threads_;
    Acquired acquired_;  // by any of its threads
    BarrierPhase phase_;
    std::unique_ptr<Cells> local_;
    std::shared_ptr<const CommandRecord> command_;
};

}  // namespace zetl::emulator::check
