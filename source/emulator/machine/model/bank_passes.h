// Conflicts of the banks of local memory.
#pragma once

#include <cstdint>

#include "emulator/isa/observe.h"

namespace zetl::emulator::machine {

/// Times that so many banks, each a dword wide, need for an access: different dwords of one bank come one after the
/// other.
std::uint8_t bankPasses(const isa::MemoryAccess& access, std::uint32_t number);

/// The same of a message that the thread is about to send, if its addresses tell before it is taken apart, as those of
/// most kernels do; otherwise 0.
std::uint8_t bankPasses(const isa::Thread& thread, const isa::AccessPlan& plan, std::uint32_t number) noexcept;

}  // namespace zetl::emulator::machine
