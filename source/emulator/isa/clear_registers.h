// Clears registers when a thread takes over another's state.
#pragma once

#include <cstddef>
#include <span>

#include "emulator/isa/state_slots.h"

namespace zetl::emulator::isa {

/// Uses the widest stores of this host, since clearing is a good part of the cost of starting a thread.
void clearRegisters(std::byte* state, std::span<const StateSlots::Run> runs) noexcept;

}  // namespace zetl::emulator::isa
