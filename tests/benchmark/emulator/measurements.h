// Published measurements of devices that have profiles here, as data.
#pragma once

#include <span>

#include "trials.h"

namespace zetl::benchmark::emulator {

enum class Unit : std::uint8_t { cycles, gigabytes, operations, bytesPerCycle, microseconds };

/// How a measured board differs from the profile; 0: not.
struct Board {
    std::uint32_t megahertz = 0;  ///< of the core during the measurement
    std::uint32_t subslices = 0;  ///< of a slice
    bool operator==(const Board&) const = default;
};

struct Measurement {
    const char* what;
    const char* device;  ///< profile
    Unit unit;
    double published;
    const char* source;  ///< key of a source that docs/measured/calibration.md lists
    Board board;
    const char* kernel;            ///< in trials.cpp
    Trial trial;                   ///< null: the model knows nothing of that kind
    const char* reason = nullptr;  ///< of an error above 40 %
};

/// By device.
std::span<const Measurement> measurements();

}  // namespace zetl::benchmark::emulator
