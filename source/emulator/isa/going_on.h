// How a stopped thread goes on: the common part of resume() and Company.
#pragma once

#include "emulator/isa/thread.h"

namespace zetl::emulator::isa {

/// Moves the thread if a debugger wrote another address to cr0.2. Returns false if the thread is done, or if no
/// instruction starts there, which becomes the thread's fault.
bool relocate(Thread& thread) noexcept;
/// If a debugger asked for that, the breakpoint at the thread's first instruction does not stop it.
void passOver(Thread& thread) noexcept;
/// The thread has to stop after one instruction, and does. `waited`: it was waiting at a barrier.
bool stepOnly(Thread& thread, bool waited) noexcept;

}  // namespace zetl::emulator::isa
