// The pieces of memory that a message's lanes access together.
#pragma once

#include <cstddef>
#include <cstdint>

#include "emulator/isa/observe.h"

namespace zetl::emulator::isa {

/// Of so many lanes, 1, 16 or 32, whose addresses lie there one behind the other. Of the shape, its size, its offset
/// and the addresses' size count.
AccessSpans spansOf(const std::byte* addresses, const AccessShape& shape, std::uint32_t lanes) noexcept;

}  // namespace zetl::emulator::isa
