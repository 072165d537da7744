// How many of the executed instructions were host code, and which ones were not: shows the gaps of translation that
// matter.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "emulator/machine/tools/tally.h"

namespace zetl::emulator::machine {

/// Counts what unwatched threads execute; watched ones always run by their steps. Not thread-safe.
class HostCodeShare {
  public:
    void add(const Tally::LineCounts& counts);
    /// Logs at level debug: the sum, and the forms that were executed by steps, most frequent first. `before`: how many
    /// of them before the kernel became host code; their forms are not logged.
    void write(const std::string& kernel, std::uint64_t before) const;

  private:
    std::uint64_t executed_ = 0;
    std::map<std::string, std::uint64_t> bySteps_;  // by form
};

}  // namespace zetl::emulator::machine
