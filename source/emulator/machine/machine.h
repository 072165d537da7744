// The emulated machine: devices and tiles, and the host workers that execute their threads.
#pragma once

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
#include "emulator/machine/profile.h"
#include "emulator/machine/stalls.h"

namespace zetl::emulator::machine {

class Device;
class Machine;

/// Who is to know at once what a tile has counted.
class CountsListener {
  public:
    virtual ~CountsListener() = default;
    /// The tile's counters have changed: once a millisecond while something is executed, and when all that a dispatch
    /// counts is in them and nobody knows yet that it is done. From any thread, several at once, with no lock held; may
    /// read the tile.
    virtual void counted() noexcept = 0;
};

/// One stack: hardware thread slots, and what runs on them. Thread-safe.
class Tile {
  public:
    virtual ~Tile() = default;
    Tile(const Tile&) = delete;
    Tile& operator=(const Tile&) = delete;

    virtual Device& device() const noexcept = 0;
    virtual std::uint32_t index() const noexcept = 0;

    /// Starts a launch as soon as there is room for its groups, beside everything else that was submitted; what must
    /// wait for what is the caller's business. Never blocks, never throws but bad_alloc: a launch that cannot be placed
    /// is returned as done, with a Fault of kind badLaunch.
    virtual std::shared_ptr<Dispatch> submit(Launch launch, Completion completion = {}) = 0;

    /// Everything counted so far, at most about a millisecond old; exact when nothing runs.
    virtual Snapshot counters() const = 0;

    /// The same, and of kernels that go on what the model found out by looking at them, which it does now and then
    /// while somebody asks this: for streams. What comes of the kernel in the end takes its place; nothing goes back.
    virtual Snapshot countersSoFar() const = 0;

    /// Makes the tile collect what the model counts (counters.h) until the answer ends, for dispatches submitted
    /// meanwhile; kernels run slower then. It must end before the machine.
    virtual std::shared_ptr<void> collect() = 0;

    /// The one listener; null: none. Calls of the one before may still be in progress.
    virtual void listen(std::shared_ptr<CountsListener> listener) = 0;

    /// Where threads of collected dispatches spent their cycles so far, by ascending address.
    virtual std::vector<InstructionStalls> stalls() const = 0;

    /// Time during which a thread was loaded, be it waiting for its turn on the host. Monotonic.
    virtual std::chrono::nanoseconds busyTime() const = 0;

    /// Every instruction that was executed so far and whose code is still loaded, by address.
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
    /// For memory of all tiles, and for memory of one, which is a part of that.
    virtual const std::shared_ptr<MemoryBudget>& memoryBudget() const noexcept = 0;
    virtual const std::shared_ptr<MemoryBudget>& memoryBudget(std::uint32_t tile) const noexcept = 0;

  protected:
    Device() = default;
};

/// Owns everything. Destroying it stops running kernels within about a millisecond and joins the workers; dispatches
/// that are not done end as cancelled. In a forked child it is lost: submit() answers with deviceLost, nothing hangs,
/// and the parent is not disturbed.
class Machine {
  public:
    virtual ~Machine() = default;
    Machine(const Machine&) = delete;
    Machine& operator=(const Machine&) = delete;

    /// `workers` host threads, started when the first launch needs them; 0: one for each core this process may use.
    static std::unique_ptr<Machine> create(const Profile& profile, std::uint32_t workers = 0);

    virtual Memory& memory() noexcept = 0;
    virtual std::uint32_t devices() const noexcept = 0;
    virtual Device& device(std::uint32_t index) noexcept = 0;
    /// True in a child of the process that created it.
    virtual bool lost() const noexcept = 0;

  protected:
    Machine() = default;
};

}  // namespace zetl::emulator::machine
