// A target in another process, reached through its debug agent.
#pragma once

#include "debug/target.h"

namespace zetl::debug {

/// NOT_READY: the process has no agent (yet); MISUSE: there is no such process; NEEDS_PRIVILEGE, BUSY, LOST.
Opened openRemoteTarget(const device::Device& device, std::uint64_t pid, EventSink sink);

}  // namespace zetl::debug
