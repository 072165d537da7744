// Sees what the program itself reads and writes of memory that commands use which it has not waited for: the pages of
// such memory are closed, and a page that the program touches is opened by a handler of SIGSEGV. With protection keys
// they are closed to the program's threads alone; without, they are open to all while a command is executed.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/mutex.h"
#include "base/protection_keys.h"
#include "emulator/check/command_order.h"

namespace zetl::emulator::driver {

/// One for a process. Thread-safe. Never destroyed.
///
/// Known limits: accesses of a page that was opened since are not seen, and without protection keys neither are those
/// while a command is executed. A system call that is given memory in closed pages fails with EFAULT. At most
/// kMostRanges allocations are watched at once.
class HostAccesses {
  public:
    struct Access {
        std::uint64_t address = 0;
        bool write = false;
    };

    /// A command that was submitted may use the allocation.
    void watch(std::uint64_t begin, std::uint64_t bytes, std::uint64_t command);
    /// The host has waited for these commands.
    void seen(const check::Clock& host);
    /// The allocation ends; of all of them if `begin` is 0.
    void forget(std::uint64_t begin);
    /// The calling thread executes a command from now on, and no longer. close() is given what open() returned.
    std::uint32_t open();
    void close(std::uint32_t rights);
    /// What the host has accessed since the last call.
    std::vector<Access> take();
    bool any() const noexcept { return watched_.load(std::memory_order_relaxed) != 0; }

    /// For the handler: records the access and opens its page. False if the page is none of those closed.
    bool handle(std::uint64_t address, bool write) noexcept;
    /// For the handler: how many allocations have ended, whose pages are open since.
    std::uint64_t givenBack() const noexcept { return givenBack_.load(std::memory_order_acquire); }

  private:
    static constexpr std::size_t kMostRanges = 256;
    static constexpr std::size_t kMostAccesses = 1024;

    struct Range {
        std::atomic<std::uint64_t> begin{0};  // 0: free
        std::atomic<std::uint64_t> end{0};
    };
    struct Watched {
        std::size_t place = 0;  // in ranges_
        std::vector<std::uint64_t> commands;
    };
    bool open(std::uint64_t begin, std::uint64_t bytes) const noexcept;
    void protect(const Range& range, bool closed) ZETL_REQUIRES(mutex_);
    void end(const Watched& watched) ZETL_REQUIRES(mutex_);
    void takeHandler() ZETL_REQUIRES(mutex_);

    const std::optional<ProtectionKey> key_ = ProtectionKey::take();
    Mutex mutex_;
    std::map<std::uint64_t, Watched> byBegin_ ZETL_GUARDED_BY(mutex_);
    std::uint32_t executing_ ZETL_GUARDED_BY(mutex_) = 0;
    std::atomic<std::size_t> watched_{0};
    // Read and written by the handler, without locks.
    std::array<Range, kMostRanges> ranges_;
    struct Slot {
        std::atomic<std::uint64_t> address{0};
        std::atomic<bool> write{false};
        std::atomic<bool> whole{false};
    };
    std::array<Slot, kMostAccesses> slots_;
    std::atomic<std::size_t> used_{0};
    std::atomic<std::uint64_t> givenBack_{0};
};

}  // namespace zetl::emulator::driver
