// Moving bytes between device-visible memory and anywhere else in the process.
#pragma once

#include <cstdint>
#include <span>

#include "emulator/driver/execution/operation.h"

namespace zetl::emulator::driver {

/// Copies `bytes` bytes. Either side may be an allocation of this driver, whose bounds and permissions are enforced, or
/// plain host memory. False, with a log line that names address and reason, if a byte cannot be read or written; the
/// process lives on even if the address is not mapped at all. Overlapping ranges give what a copy in ascending order
/// gives.
bool copyMemory(Execution& execution, std::uint64_t to, std::uint64_t from, std::uint64_t bytes);

/// Writes the pattern over and over, `bytes` bytes in all; the last repetition may be cut short.
bool fillMemory(Execution& execution, std::uint64_t to, std::span<const std::byte> pattern, std::uint64_t bytes);

}  // namespace zetl::emulator::driver
