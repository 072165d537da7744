// How much of what was executed is host code, by instructions and by time, and which instructions are not: shows the
// gaps of translation that matter.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "emulator/machine/tools/tally.h"

namespace zetl::emulator::machine {

/// Counts what unwatched threads execute; watched ones always run by their steps. Not thread-safe.
class HostCodeShare {
  public:
    /// Takes the program's times (isa::HostTimes): of launches of a kernel that run side by side, the first to end has
    /// those of all.
    void add(const Tally::LineCounts& counts);
    /// Logs at level debug: the sums, and the forms that were executed by steps or took time there, most first.
    /// `before`: how many instructions before the kernel became host code; they are not logged by form.
    void write(const std::string& kernel, std::uint64_t before) const;

  private:
    void takeTimes(const LoadedProgram& loaded);

    using Sums = std::map<std::string, std::uint64_t>;  // by form
    std::uint64_t executed_ = 0;
    Sums bySteps_;
    std::uint64_t turns_ = 0;  // ticks, as isa::HostTimes says
    std::uint64_t hostCode_ = 0;
    Sums called_;
};

}  // namespace zetl::emulator::machine
