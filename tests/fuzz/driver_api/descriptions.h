// Structures that creating functions read.
#pragma once

#include <typeindex>

#include "fuzz/driver_api/script.h"

namespace zetl::test {

/// Fills a structure of zeros with values of which most are good, if its type is one that is known here.
void describe(std::type_index type, void* place, Script& script);

}  // namespace zetl::test
