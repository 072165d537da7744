// Any bytes as a sequence of calls of the emulated GPU's driver.
#pragma once

#include <cstdint>
#include <span>

namespace zetl::test {

/// Performs the calls that the bytes spell, with handles and pointers good, stale, of another type, null and invented,
/// and then takes down all that remains. Half of the calls are of any row
/// (random_row.h); the others belong together. Aborts if a call returns a code that no function of the specification
/// may return, or if an object that must work does not.
void runDriverSequence(std::span<const std::uint8_t> bytes);

}  // namespace zetl::test
