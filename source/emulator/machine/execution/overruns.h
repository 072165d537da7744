// What to do about kernels that read or write beyond what they asked for, within what the hardware gives. Thread-safe.
#pragma once

#include <array>
#include <atomic>
#include <set>
#include <string>

#include "base/mutex.h"

namespace zetl::emulator::machine {

struct HardwareThread;

/// Learns of every thread whose access of memory failed or went beyond what its kernel asked for.
class OverrunObserver {
  public:
    virtual ~OverrunObserver() = default;
    /// Its `state.fault` says what happened. The instruction has done nothing yet, so registers hold what it reads.
    /// Called from all workers at once; must not throw.
    virtual void failed(HardwareThread& thread) noexcept = 0;
};

/// The hardware gives local memory in steps, and memory in pages, and sees nothing within them; programs that rely on
/// it exist.
class Overruns {
  public:
    enum class Of : std::uint8_t { localMemory, allocation };

    /// As ZETL_STRICT_MEMORY says.
    Overruns();

    /// Whether they are faults although the hardware would not see them.
    bool areFaults() const noexcept { return strict_; }
    /// The observer learns of each of them. None is a fault that the hardware would not see. It lives as long as the
    /// device; null: there is none.
    void observe(OverrunObserver* observer) noexcept { observer_.store(observer, std::memory_order_release); }
    OverrunObserver* observer() const noexcept { return observer_.load(std::memory_order_acquire); }
    /// Whether this is the first one of the kernel. False as well if the host is out of memory: it is for a warning.
    bool isFirstOf(const std::string& kernel, Of what) noexcept;

  private:
    const bool strict_;
    std::atomic<OverrunObserver*> observer_{nullptr};
    Mutex mutex_;
    std::array<std::set<std::string>, 2> kernels_ ZETL_GUARDED_BY(mutex_);
};

}  // namespace zetl::emulator::machine
