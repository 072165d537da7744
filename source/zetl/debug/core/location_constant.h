// The operations of a location's expression that push a number: read alike where locations are evaluated (location.h)
// and where they become code (location_code.h).
#pragma once

#include <cstdint>
#include <optional>

#include "core/byte_reader.h"

namespace zetl::debugger {

/// The number that the operation pushes, whose operand comes next in `in`. Nothing, and nothing is read, if it is
/// another kind of operation. Throws Failure if the data end too early.
std::optional<std::uint64_t> constantOf(std::uint8_t operation, ByteReader& in);

}  // namespace zetl::debugger
