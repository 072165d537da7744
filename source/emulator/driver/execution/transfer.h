// Copies bytes between device-visible memory and all other memory of the process.
#pragma once

#include <cstdint>
#include <span>

#include "emulator/driver/execution/operation.h"
#include "emulator/machine/transfers.h"

namespace zetl::emulator::driver {

/// Copies `bytes` bytes. Either side may be an allocation of this driver, whose bounds and permissions are enforced, or
/// plain host memory. Returns false, and logs the address and the reason, if a byte cannot be read or written; the
/// process goes on even if the address is not mapped at all. Overlapping ranges give the result of a copy in ascending
/// order.
bool copyMemory(Execution& execution, std::uint64_t to, std::uint64_t from, std::uint64_t bytes);

/// Writes the pattern repeatedly, `bytes` bytes in all; the last repetition may be cut short.
bool fillMemory(Execution& execution, std::uint64_t to, std::span<const std::byte> pattern, std::uint64_t bytes);

/// The engine of the command copies, as long as that lives.
machine::Transfers::Copy copying(const Execution& execution);

}  // namespace zetl::emulator::driver
