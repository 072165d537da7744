// A group like one of the hardware: 46 columns from reports of 256 bytes with counters of 32 and 40 bits.
#pragma once

#include <cstddef>
#include <vector>

#include "metrics/calculation/calculator.h"

namespace zetl::test {

constexpr std::size_t kColumns = 46;

metrics::Descriptor hardwareGroup();

/// Reports of a stream, with counters that move at rates of their own and wrap.
std::vector<std::byte> reportsOf(std::size_t count);

}  // namespace zetl::test
