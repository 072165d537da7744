// Which lines of a module's code are atomics whose order only the work-items of one group see.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "base/mutex.h"

namespace zetl::emulator::driver {

class Module;

/// Known by the lines of the module's SPIR-V, so only of modules with -g that were built from it, or keep it.
/// Thread-safe.
class GroupAtomics {
  public:
    /// A bit for each line of the module's program; null if there are none.
    std::shared_ptr<const std::vector<bool>> of(const Module& module);

  private:
    Mutex mutex_;
    std::map<std::uint64_t, std::shared_ptr<const std::vector<bool>>> known_ ZETL_GUARDED_BY(mutex_);  // by module
};

}  // namespace zetl::emulator::driver
