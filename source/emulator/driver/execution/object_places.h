// Where the memory that a finding is about was allocated, and where it was freed.
#pragma once

#include <cstdint>

#include "check/finding.h"
#include "emulator/driver/execution/checks.h"

namespace zetl::emulator::driver {

/// Adds to a finding's object what is known of both calls. Leaves an object that is no memory of the program's as it
/// is.
void addPlaces(const Checks& all, zetl::check::Finding& finding);
/// The calling thread is about to free or unmap the memory that lies in [begin, begin + bytes).
void noteFreed(Checks& all, std::uint64_t begin, std::uint64_t bytes);

}  // namespace zetl::emulator::driver
