// How a stopped thread goes on: what resume() and a Company have in common.
#pragma once

#include "emulator/isa/thread.h"

namespace zetl::emulator::isa {

/// Moves the thread if a debugger wrote another address to cr0.2. False: it is done, or no instruction starts there,
/// which is its fault then.
bool relocate(Thread& thread) noexcept;
/// The breakpoint at its first instruction will not stop it if a debugger wishes that.
void passOver(Thread& thread) noexcept;
/// It is to stop after one instruction, and does. `waited`: it stood at a barrier.
bool stepOnly(Thread& thread, bool waited) noexcept;

}  // namespace zetl::emulator::isa
