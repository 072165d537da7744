// The clocks of several hosts as one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "recording/reader.h"

namespace zetl::command {

/// What is to be added to the times of each boot of a kernel, so that they are on the clock of the first recording.
/// Where ranks of two hosts were at the same meetings (recording/format.h), these bound it from both sides. Otherwise
/// it follows from the hosts' system time.
class Clocks {
  public:
    explicit Clocks(std::span<const RecordingFile> recordings);

    ClockShift shiftOf(const RecordingFile& recording) const;

  private:
    std::map<std::string, ClockShift> shifts_;  // by boot
};

/// For people: how the clocks of these recordings were aligned; empty if there is one clock.
std::string clocksText(std::span<const RecordingFile> recordings);

}  // namespace zetl::command
