// One launch of a kernel, and its outcome.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "emulator/machine/code_heap.h"
#include "emulator/machine/counters.h"
#include "emulator/machine/fault.h"

namespace zetl::emulator::machine {

using Extent = std::array<std::uint32_t, 3>;

/// A field in the indirect data with the address of another place in them, which is known only when they are placed.
struct SelfReference {
    std::uint32_t at = 0;      ///< offset of the 64-bit field that receives the address
    std::uint32_t target = 0;  ///< offset of the place whose address it is
};

/// All that the hardware would be given. The driver fills the indirect data (module/payload.h); the machine sets up r0,
/// the register state, local memory and scratch.
struct Launch {
    std::string kernel;                       ///< name, for faults
    std::shared_ptr<CodeRange> code;          ///< installed code that holds the kernel; kept alive by the dispatch
    std::vector<std::shared_ptr<void>> keep;  ///< other objects that must outlive the dispatch: linked modules, buffers
    std::uint32_t kernelOffset = 0;           ///< of the kernel's first instruction from the instruction base
    std::uint32_t entryOffset = 0;            ///< from the kernel's first instruction: where threads start
    std::uint32_t simd = 32;                  ///< work-items per thread: 1 (starts with all lanes on), 16 or 32
    std::uint32_t grfCount = 128;             ///< 128 or 256

    Extent groupSize{1, 1, 1};
    Extent groupCount{1, 1, 1};  ///< if any is 0, it completes at once, having done nothing
    Extent firstGroup{0, 0, 0};  ///< id of the first group
    Extent gridGroups{0, 0, 0};  ///< of a part on one of several tiles: the groups of all parts; otherwise 0

    std::vector<std::byte> indirect;  ///< implicit arguments, cross-thread data, per-thread blocks in their places
    std::uint32_t argumentsAt = 0;    ///< offset in it, multiple of 64, to which r0.0 points
    std::vector<SelfReference> references;
    std::vector<std::byte> inlineData;  ///< head of the cross-thread data that arrives in a register; often empty
    std::uint32_t recordAt = 0;         ///< with recordFrom: offset in it, multiple of 64, to which r0.0 points later
    std::uint32_t recordFrom = 0;       ///< not 0: ... once a thread reaches this offset from the first instruction
    std::uint32_t preloadAt = 0;        ///< with preloadBytes: offset of thread 0's block in `indirect` ...
    std::uint32_t preloadBytes = 0;     ///< ... which each thread finds in r1 and up already; 0: it loads it itself

    std::uint32_t slmBytes = 0;  ///< static and argument local memory together
    /// Bytes [first, second) of it that belong to no argument, for checks.
    std::vector<std::array<std::uint32_t, 2>> slmGaps;
    /// Addresses [first, second) that the kernel may only read, for checks.
    std::vector<std::array<std::uint64_t, 2>> readOnly{};
    /// By line of its program: atomics that order only what the work-items of one group see, for checks. Null: none.
    std::shared_ptr<const std::vector<bool>> groupAtomics{};
    std::uint32_t scratchBytes = 0;  ///< for one hardware thread
    std::uint64_t privateBase = 0;   ///< memory beside scratch; the thread on slot n has part n ...
    std::uint64_t privateBytes = 0;  ///< ... of this size
    /// What each thread finds in its scratch and private memory; if unset, what the thread before it left there.
    std::optional<std::uint8_t> ownMemoryFill;
    std::uint64_t stateHeap = 0;  ///< address that offsets of surface and sampler states count from; 0: there are none
    std::uint32_t barrierCount = 1;  ///< above 1: named barriers
    std::uint64_t tag = 0;           ///< the caller's own value, such as a module id; events carry it
    std::uint64_t command = 0;       ///< the caller's number of the command that it is part of; 0: none
    std::uint64_t submission = 0;    ///< with Tile::expect(): the number of what it is part of; 0: none
    /// In the model's time: the end of what the program ordered before it. Nothing: of all that has ended.
    std::optional<std::uint64_t> after{};
    bool awaited = false;  ///< the submitting thread calls wait() next, and may run its groups there
};

/// A launch that was submitted. Created by Tile::submit, shared with it. Thread-safe.
class Dispatch {
  public:
    virtual ~Dispatch() = default;
    Dispatch(const Dispatch&) = delete;
    Dispatch& operator=(const Dispatch&) = delete;

    virtual std::uint64_t id() const noexcept = 0;  ///< never 0, never reused in the process
    virtual const Launch& launch() const noexcept = 0;

    virtual bool done() const noexcept = 0;
    /// Blocks without spinning. Returns false if the time is over and the dispatch is not done.
    virtual bool wait(std::chrono::nanoseconds timeout) const = 0;
    virtual void wait() const = 0;

    /// Asks for an early end: no instruction beyond the running quanta (about a millisecond) is executed.
    virtual void cancel() noexcept = 0;

    // The following are defined once done() is true.
    virtual const Fault& fault() const noexcept = 0;        ///< kind none if it ran to its end
    virtual std::uint64_t startTicks() const noexcept = 0;  ///< device clock; start < end
    virtual std::uint64_t endTicks() const noexcept = 0;
    virtual const Counts& counts() const noexcept = 0;  ///< of this dispatch alone
    /// In the model's time; 0 if no tool collected.
    virtual std::uint64_t workEnd() const noexcept = 0;

  protected:
    Dispatch() = default;
};

/// Called once when a dispatch is done, from a worker (or from submit(), if there was nothing to do), with no lock
/// held. May submit; must not wait for the device.
using Completion = std::function<void(Dispatch&)>;

}  // namespace zetl::emulator::machine
