// Whether a store changes anything.
#pragma once

#include <cstdint>

#include "emulator/isa/observe.h"

namespace zetl::emulator::check {

/// True if the message is about to store, with that lane, what is in memory already. `memory`: the bytes at the lane's
/// address. False as well for forms whose data are laid out in ways that this does not know. Call it from beforeLine().
bool storesSame(const isa::Thread& thread, const isa::Instruction& in, std::uint32_t lane, const std::byte* memory);

/// True if two lanes of the message are about to store the same. No blocks.
bool storeSame(const isa::Thread& thread, const isa::Instruction& in, std::uint32_t lane, std::uint32_t other);

}  // namespace zetl::emulator::check
