// What to do about kernels that read or write local memory beyond what they asked for. Thread-safe.
#pragma once

#include <set>
#include <string>

#include "base/mutex.h"

namespace zetl::emulator::machine {

/// The hardware gives local memory in steps and sees nothing within them; programs that rely on it exist.
class LocalOverruns {
  public:
    /// As ZETL_STRICT_MEMORY says.
    LocalOverruns();

    /// Whether they are faults although the hardware would not see them.
    bool areFaults() const noexcept { return strict_; }
    /// Whether this is the first one of the kernel. False as well if the host is out of memory: it is for a warning.
    bool isFirstOf(const std::string& kernel) noexcept;

  private:
    const bool strict_;
    Mutex mutex_;
    std::set<std::string> kernels_ ZETL_GUARDED_BY(mutex_);
};

}  // namespace zetl::emulator::machine
