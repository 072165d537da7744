// Where the first launch of a module waits for a debugger, which has the time to set breakpoints in it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

namespace zetl::nvidia {

/// Waits if ZETL_DEBUG_WAIT asks for it: the first time for a debugger, later only if there is one, until it opens the
/// door or that time has passed.
void waitAtDoor();

/// The other side, in the debugger's process: a door at which a thread of that process waits, and opening it. The
/// thread is found by its name. A process that calls a thread so without waiting gets one word of its own memory
/// changed.
std::optional<std::uint64_t> doorOf(pid_t process);
/// Whether a process is so young that it will come to its door yet: it was started with ZETL_DEBUG_WAIT, not longer ago
/// than that.
bool comesToDoor(pid_t process);
void openDoor(pid_t process, std::uint64_t door);

}  // namespace zetl::nvidia
