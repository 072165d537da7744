// Makes the first launch of a module wait for a debugger, which then has the time to set breakpoints.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

namespace zetl::nvidia {

/// Waits if ZETL_DEBUG_WAIT asks for it: the first time for a debugger, later only if there is one, until the debugger
/// opens the door or that time has passed.
void waitAtDoor();

/// The other side, in the debugger's process: finds a door at which a thread of that process waits. The thread is found
/// by its name. If a process gives a thread this name without waiting, one word of its own memory is changed.
std::optional<std::uint64_t> doorOf(pid_t process);
/// Whether a process is so young that it will still come to its door: it was started with ZETL_DEBUG_WAIT, not longer
/// ago than that.
bool comesToDoor(pid_t process);
void openDoor(pid_t process, std::uint64_t door);

}  // namespace zetl::nvidia
