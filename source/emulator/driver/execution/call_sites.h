// Where objects were made or ended, for reports about them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "check/finding.h"

namespace zetl::emulator::driver {

/// Thread-safe. Knows the last kMost objects.
class CallSites {
  public:
    /// The calling thread makes it now, or ends it.
    void add(std::uint64_t object);
    /// Nothing if the object is not known.
    std::optional<zetl::check::Call> callOf(std::uint64_t object) const;
    /// "program+0x1234 (function)" for each of the first four callers that are the program's own, separated by commas;
    /// empty if nothing is known.
    std::string of(std::uint64_t object) const;

  private:
    static constexpr std::size_t kMost = 1 << 16;
    struct Site {
        std::vector<void*> frames;
        const char* function = nullptr;  ///< of Level Zero; null if no call of the program did it
        std::uint64_t thread = 0;
        std::string threadName;
    };
    static std::string text(const std::vector<void*>& frames);
    std::optional<Site> find(std::uint64_t object) const;

    mutable Mutex mutex_;
    std::map<std::uint64_t, Site> sites_ ZETL_GUARDED_BY(mutex_);
};

}  // namespace zetl::emulator::driver
