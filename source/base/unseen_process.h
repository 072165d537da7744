// Programs of our own, started on behalf of somebody else's process.
#pragma once

#include <sys/types.h>

#include <span>

namespace zetl {

struct UnseenProgram {
    const char* path;           ///< no search
    char* const* arguments;     ///< its name first; null ends them
    char* const* environment;   ///< null ends it
    std::span<const int> gets;  ///< become its descriptors 0, 1, ..., its only ones; each at least their number
};

/// Starts a process that the host neither hears of (SIGCHLD) nor finds by wait(), with no signal blocked or ignored.
/// Thread-safe. Gives an error number; 0: it has started, as `pid`.
int startUnseen(const UnseenProgram& program, pid_t& pid) noexcept;

}  // namespace zetl
