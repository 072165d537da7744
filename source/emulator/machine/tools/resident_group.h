// A work-group from the point of view of code that watches and halts its threads, and that code's data about it.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "emulator/machine/control.h"
#include "emulator/machine/dispatch.h"
#include "emulator/machine/tools/hardware_thread.h"
#include "emulator/machine/tools/turns.h"

namespace zetl::emulator::machine {

/// A set of the group's threads; a group has at most 64.
using ThreadMask = std::uint64_t;
constexpr ThreadMask bit(std::uint32_t thread) noexcept { return ThreadMask{1} << thread; }
constexpr ThreadMask firstThreads(std::uint32_t count) noexcept {
    return count >= 64 ? ~ThreadMask{0} : bit(count) - 1;
}

/// Implemented by the code that executes the group, and owned by that code.
class ResidentGroup {
  public:
    virtual Dispatch& dispatch() const noexcept = 0;
    virtual const Extent& id() const noexcept = 0;
    /// Threads that have not ended.
    virtual ThreadMask live() const noexcept = 0;
    virtual HardwareThread* thread(std::uint32_t index) const noexcept = 0;
    virtual std::span<std::byte> slm() const noexcept = 0;

    // Atomic because the debugger changes them while the group is in a turn: a thread whose `stopped` bit is set is not
    // touched by the worker.
    std::atomic<ThreadMask> halting{0};  ///< asked to stop
    std::atomic<ThreadMask> stopped{0};  ///< stopped for the debugger

    std::vector<std::uint64_t> haltRequests ZETL_GUARDED_BY(kTurns);  ///< answered once `halting` was looked at
    std::vector<StopCause> causes ZETL_GUARDED_BY(kTurns);            ///< by thread, if `stopped` is set
    ThreadMask shown ZETL_GUARDED_BY(kTurns) = 0;  ///< of `stopped`: their registers show why they stopped

  protected:
    ~ResidentGroup() = default;
};

}  // namespace zetl::emulator::machine
