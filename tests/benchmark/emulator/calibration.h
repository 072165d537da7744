// The timing model beside published measurements.
#pragma once

#include <string_view>

namespace zetl::benchmark::emulator {

/// Prints a table in Markdown, of one device (a profile) if named. Returns 1 if an error above 40 % has no reason, or
/// if the median of all errors is above 15 %.
int compareCalibration(std::string_view device);

}  // namespace zetl::benchmark::emulator
