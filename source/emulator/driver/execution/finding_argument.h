// Which of a kernel's arguments a finding is about.
#pragma once

#include <cstdint>
#include <string>

#include "check/finding.h"
#include "emulator/driver/program/kernel_state.h"

namespace zetl::emulator::driver {

/// "argument 1 (a)": the first that points into the object; without a name if the module does not have it. Empty if
/// none does.
std::string argumentInto(const KernelState& state, const zetl::check::Object& object);

/// The same of the image whose surface state lies at this offset.
std::string imageArgument(const KernelState& state, std::uint32_t surface);

}  // namespace zetl::emulator::driver
