// Memory that a debugger watches: which writes of threads change it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/mutex.h"
#include "emulator/isa/environment.h"
#include "emulator/isa/observe.h"
#include "emulator/machine/control.h"
#include "emulator/machine/tools/hardware_thread.h"
#include "emulator/machine/tools/resident_group.h"

namespace zetl::emulator::machine {

class AllocationTable;

/// The lanes whose accesses meet [begin, end); only the bits of the mask count in their addresses.
std::uint32_t lanesAt(const isa::MemoryAccess& access, std::uint64_t begin, std::uint64_t end,
                      std::uint64_t mask = ~std::uint64_t{0});

/// The memory of a thread that needs no window, while it is hidden from the thread.
struct OwnSpans {
    std::span<std::byte> local;
    std::span<std::byte> scratch;
    bool isAny() const noexcept { return !local.empty() || !scratch.empty(); }
};

/// One for each tile. Threads ask for windows of memory, and windows do not reach watched bytes: so only the first
/// write near them costs anything. A write to watched bytes fails like one to no memory, and is then executed alone,
/// which shows what it changed. Local memory and scratch space have no windows: those with watched bytes are hidden
/// from the threads that have them, so that each of their accesses fails and is executed alone. Thread-safe.
class Watchpoints {
  public:
    explicit Watchpoints(const AllocationTable& table) : table_(table) {}

    /// Watches these bytes, and no others. All threads must be stopped, or begin a turn before they write. False if
    /// they are too many, or there is no memory for them: then nothing is watched.
    bool watch(std::span<const WatchedRange> ranges);
    bool isAny() const noexcept { return any_.load(std::memory_order_relaxed); }

    /// A thread is about to write, and may do so in this window, which becomes smaller. False if it meets watched
    /// bytes; its access is then to fail, and letWrite() to follow.
    bool admits(HardwareThread& thread, std::uint64_t address, std::uint64_t bytes, isa::MemoryWindow& window) noexcept;
    /// Around a thread's turn: hides the local memory and the scratch space in which something is watched. show() finds
    /// out whether that is why an access failed; letWrite() is to follow then, too.
    OwnSpans hide(HardwareThread& thread) const noexcept;
    void show(HardwareThread& thread, const OwnSpans& hidden) const noexcept;
    /// Executes the instruction that failed. Returns whether it changed watched bytes.
    bool letWrite(HardwareThread& thread) noexcept;

    /// The changes since the last call, the first one first.
    std::vector<WatchHit> take();

  private:
    struct Watched {
        WatchedRange range;
        std::uint32_t number;  ///< in the debugger's list
        std::vector<std::byte> content;
        const std::byte* host;  ///< null: the thread cannot reach it
        std::uint64_t end() const noexcept { return range.address + range.bytes; }
        bool isLocalOf(const ResidentGroup& group) const noexcept;
        bool isIn(std::span<const std::byte> memory) const noexcept;
    };
    void look(Watched& watched, const ResidentGroup& group) const noexcept;
    static bool hasChanged(const Watched& watched) noexcept;
    static std::uint32_t lanesOf(const Watched& watched, const isa::MemoryAccess& access, const isa::Thread& thread);

    const AllocationTable& table_;
    std::atomic<bool> any_{false};
    mutable Mutex mutex_;  ///< held while a thread writes to watched bytes, so that no other one does
    std::vector<Watched> watched_ ZETL_GUARDED_BY(mutex_);
    std::vector<WatchHit> hits_ ZETL_GUARDED_BY(mutex_);
};

}  // namespace zetl::emulator::machine
