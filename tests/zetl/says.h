// What a run of zetl said.
#pragma once

#include <string_view>

#include "support/process.h"

namespace zetl::test {

inline bool says(const Outcome& outcome, std::string_view text) { return outcome.times(text) > 0; }

}  // namespace zetl::test
