// Recordings that are not needed any more.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "emulator/machine/model/subslice.h"

namespace zetl::emulator::machine {

/// Their memory serves other groups, whose recordings would otherwise grow piece by piece. Thread-safe.
class SpareTraces {
  public:
    using Trace = std::unique_ptr<GroupTrace>;

    /// An empty one for so many threads, each of which may have so many words. Throws bad_alloc.
    Trace take(std::size_t threads, std::size_t mostWords);
    void keep(std::vector<Trace> traces) noexcept;
    /// A dispatch is over: keeps a few MiB for the next one.
    void trim() noexcept;

    static constexpr std::size_t kMostBytes = std::size_t{16} << 20;  ///< after trim()

  private:
    Mutex mutex_;
    std::vector<Trace> traces_ ZETL_GUARDED_BY(mutex_);
};

}  // namespace zetl::emulator::machine
