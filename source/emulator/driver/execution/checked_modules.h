// The modules whose machine code was looked at.
#pragma once

#include <cstdint>
#include <set>

#include "base/mutex.h"

namespace zetl::emulator::driver {

/// Thread-safe.
class CheckedModules {
  public:
    /// True the first time for each module.
    bool add(std::uint64_t module) {
        const Lock guard(mutex_);
        return modules_.insert(module).second;
    }

  private:
    Mutex mutex_;
    std::set<std::uint64_t> modules_ ZETL_GUARDED_BY(mutex_);
};

}  // namespace zetl::emulator::driver
