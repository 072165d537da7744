// Programs of our own, started from within the host's process.
#pragma once

#include <sys/types.h>

#include <span>

namespace zetl {

struct UnseenProgram {
    const char* path;           ///< not searched for in PATH
    char* const* arguments;     ///< its name first; the list ends with null
    char* const* environment;   ///< ends with null
    std::span<const int> gets;  ///< become its descriptors 0, 1, ..., its only ones; each at least its new number
};

/// Starts a process that the host neither hears of (SIGCHLD) nor finds by wait(), with no signal blocked or ignored.
/// Thread-safe. Returns an error number, or 0 if the process `pid` has started.
int startUnseen(const UnseenProgram& program, pid_t& pid) noexcept;

}  // namespace zetl
