// The emulated machine: devices and tiles, and the host workers that execute their threads.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "emulator/machine/clock.h"
#include "emulator/machine/code_heap.h"
#include "emulator/machine/control.h"
#include "emulator/machine/counters.h"
#include "emulator/machine/dispatch.h"
#include "emulator/machine/memory.h"
#include "emulator/machine/model_detail.h"
#include "emulator/machine/profile.h"
#include "emulator/machine/stalls.h"
#include "emulator/machine/transfers.h"

namespace zetl::emulator::machine {

class Device;
class Machine;

/// An object that is notified at once of what a tile has counted.
class CountsListener {
  public:
    virtual ~CountsListener() = default;
    /// The tile's counters have changed. Called once a millisecond while something is executed, and when all counts of
    /// a dispatch are in them, before any thread sees that the dispatch is done. Called from any thread, several at
    /// once, with no lock held; may read the tile.
    virtual void counted() noexcept = 0;
};

/// Launches that a caller has yet to submit, one after the other, until it releases this. The model lets those with
/// higher numbers take their places in its time only when none of these can come before them any more. Thread-safe.
class ExpectedWork {
  public:
    virtual ~ExpectedWork() = default;
    ExpectedWork(const ExpectedWork&) = delete;
    ExpectedWork& operator=(const ExpectedWork&) = delete;
    /// The next one begins at that time of the model, or later.
    virtual void passed(std::uint64_t time) noexcept = 0;
    /// The caller waits for something that others may do, or does so no more.
    virtual void pause(bool pauses) noexcept = 0;

  protected:
    ExpectedWork() = default;
};

/// What a listener wants to hear of.
enum class Listening : std::uint8_t {
    counts,
    stalls,  ///< Tile::stalls()
    count_,
};

/// One stack: hardware thread slots, and the work that runs on them. Thread-safe.
class Tile {
  public:
    virtual ~Tile() = default;
    Tile(const Tile&) = delete;
    Tile& operator=(const Tile&) = delete;

    virtual Device& device() const noexcept = 0;
    virtual std::uint32_t index() const noexcept = 0;

    /// Starts a launch as soon as there is room for its groups, beside everything else that was submitted; the caller
    /// has to order launches that must wait for each other. Never blocks, and throws nothing but bad_alloc: a launch
    /// that cannot be placed is returned as done, with a Fault of kind badLaunch.
    virtual std::shared_ptr<Dispatch> submit(Launch launch, Completion completion = {}) = 0;

    /// The caller is going to submit launches of this number (Launch::submission), which grows in the order in which
    /// the program submits, none of them earlier in the model's time than that. Null if no tool collects. The object
    /// must be released before the machine.
    virtual std::shared_ptr<ExpectedWork> expect(std::uint64_t submission, std::uint64_t from) = 0;

    /// Everything counted so far, at most about a millisecond old; exact if nothing runs.
    virtual Snapshot counters() const = 0;

    /// The same for streams: adds, for kernels that still run, what the model found out by looking at them, which it
    /// does now and then while this is called. The final counts of a kernel take its place; no value decreases.
    virtual Snapshot countersSoFar() const = 0;

    /// Snapshot::settledAt of the latest moments at which the counts of modelled work were settled, after the given
    /// one, with these counts, oldest first.
    virtual std::vector<Snapshot> settledSince(std::uint64_t settledAt) const = 0;

    /// Makes the tile collect what the model counts (counters.h) for dispatches submitted while the returned object
    /// lives; kernels run slower then. The object must be released before the machine.
    virtual std::shared_ptr<void> collect(ModelDetail detail) = 0;
    /// All groups, unless the user has set something else.
    std::shared_ptr<void> collect() { return collect(configuredModelDetail()); }

    /// Sets the only listener of that kind; null: none. Calls of the previous one may still be in progress.
    virtual void listen(Listening to, std::shared_ptr<CountsListener> listener) = 0;

    /// Where threads of collected dispatches have spent their cycles so far, by ascending address.
    virtual std::vector<InstructionStalls> stalls() const = 0;
    /// Grows whenever stalls() has more for good, and not only for what a look at running kernels found.
    virtual std::uint64_t stallsFound() const noexcept = 0;

    /// Time during which a thread was loaded, even if it waited for its turn on the host. Monotonic.
    virtual std::chrono::nanoseconds busyTime() const = 0;

    /// Every instruction that has been executed so far and whose code is still loaded, by address.
    virtual std::vector<InstructionCount> instructionCounts() const = 0;

    virtual Control& control() noexcept = 0;

  protected:
    Tile() = default;
};

class Device {
  public:
    virtual ~Device() = default;
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;

    virtual Machine& machine() const noexcept = 0;
    virtual std::uint32_t index() const noexcept = 0;
    virtual const DeviceProfile& profile() const noexcept = 0;
    virtual Clock& clock() noexcept = 0;
    virtual CodeHeap& code() noexcept = 0;
    virtual Tile& tile(std::uint32_t index) noexcept = 0;  ///< index < profile().tiles
    /// The budget of all tiles, and the budget of one tile, which is a part of that.
    virtual const std::shared_ptr<MemoryBudget>& memoryBudget() const noexcept = 0;
    virtual const std::shared_ptr<MemoryBudget>& memoryBudget(std::uint32_t tile) const noexcept = 0;
    Transfers& transfers(std::uint32_t tile) noexcept { return transfers_[tile]; }

  protected:
    Device() = default;

  private:
    std::array<Transfers, kMaxTiles> transfers_;
};

/// Owns everything. Destroying it stops running kernels within about a millisecond and joins the workers; dispatches
/// that are not done end as cancelled. In a forked child the machine is lost: submit() returns deviceLost, nothing
/// hangs, and the parent is not disturbed.
class Machine {
  public:
    virtual ~Machine() = default;
    Machine(const Machine&) = delete;
    Machine& operator=(const Machine&) = delete;

    /// `workers`: number of host threads, started when the first launch needs them; 0: one per core that this process
    /// may use.
    static std::unique_ptr<Machine> create(const Profile& profile, std::uint32_t workers = 0);

    virtual Memory& memory() noexcept = 0;
    virtual std::uint32_t devices() const noexcept = 0;
    virtual Device& device(std::uint32_t index) noexcept = 0;
    /// True in a forked child of the process that created it.
    virtual bool lost() const noexcept = 0;

  protected:
    Machine() = default;
};

}  // namespace zetl::emulator::machine
