// The fake driver's functions that make, list or describe objects.
#pragma once

#include <span>

#include "support/fake_driver/slots.h"

namespace zetl::test {

std::span<const Implemented> implementedFunctions();
/// Of program debugging.
std::span<const Implemented> debugFunctions();

}  // namespace zetl::test
