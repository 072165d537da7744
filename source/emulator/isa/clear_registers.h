// Registers set to zero, where a thread takes over another's state.
#pragma once

#include <cstddef>
#include <span>

#include "emulator/isa/state_slots.h"

namespace zetl::emulator::isa {

/// By the widest stores of this host: it is a good part of what starting a thread takes.
void clearRegisters(std::byte* state, std::span<const StateSlots::Run> runs) noexcept;

}  // namespace zetl::emulator::isa
