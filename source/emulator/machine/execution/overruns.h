// What to do about kernels that read or write beyond what they asked for, within what the hardware gives. Thread-safe.
#pragma once

#include <array>
#include <set>
#include <string>

#include "base/mutex.h"

namespace zetl::emulator::machine {

/// The hardware gives local memory in steps, and memory in pages, and sees nothing within them; programs that rely on
/// it exist.
class Overruns {
  public:
    enum class Of : std::uint8_t { localMemory, allocation };

    /// As ZETL_STRICT_MEMORY says.
    Overruns();

    /// Whether they are faults although the hardware would not see them.
    bool areFaults() const noexcept { return strict_; }
    /// Whether this is the first one of the kernel. False as well if the host is out of memory: it is for a warning.
    bool isFirstOf(const std::string& kernel, Of what) noexcept;

  private:
    const bool strict_;
    Mutex mutex_;
    std::array<std::set<std::string>, 2> kernels_ ZETL_GUARDED_BY(mutex_);
};

}  // namespace zetl::emulator::machine
