// The emulated machine as an implementation to measure.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "check/kinds.h"
#include "workload.h"

namespace zetl::benchmark::emulator {

/// Launches through the machine itself, compiled by Intel's compiler; `workers` host threads.
/// `collecting`: with the timing model. `device`: a profile.
std::unique_ptr<Implementation> makeEmulated(std::uint32_t workers, bool collecting = false,
                                             const std::string& device = "max1550");

/// With checks of these groups.
std::unique_ptr<Implementation> makeChecked(std::uint32_t workers, zetl::check::Groups groups,
                                            const std::string& device = "max1550");

}  // namespace zetl::benchmark::emulator
