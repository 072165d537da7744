// Where objects were made, for reports about them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/mutex.h"

namespace zetl::emulator::driver {

/// Thread-safe. Knows the last kMost objects.
class CallSites {
  public:
    /// The calling thread makes it now.
    void add(std::uint64_t object);
    /// "program+0x1234 (function)" for each of the first four callers that are the program's own, separated by commas;
    /// empty if nothing is known.
    std::string of(std::uint64_t object) const;

  private:
    static constexpr std::size_t kMost = 1 << 16;
    using Frames = std::vector<void*>;

    mutable Mutex mutex_;
    std::map<std::uint64_t, Frames> frames_ ZETL_GUARDED_BY(mutex_);
};

}  // namespace zetl::emulator::driver
