// Conflicts of the banks of local memory.
#pragma once

#include <cstdint>

#include "emulator/isa/observe.h"

namespace zetl::emulator::machine {

/// How often that many banks, each a dword wide, are needed for an access: different dwords of one bank are served one
/// after the other.
std::uint8_t bankPasses(const isa::MemoryAccess& access, std::uint32_t number);

/// The same for a message that the thread is about to send, if that shows in its addresses before the message is taken
/// apart, as in most kernels; otherwise 0.
std::uint8_t bankPasses(const isa::Thread& thread, const isa::AccessPlan& plan, std::uint32_t number) noexcept;

}  // namespace zetl::emulator::machine
