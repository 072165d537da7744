// The debugger's side of verifying an agent (proof.h).
#pragma once

#include <sys/types.h>

#include "debug/wire.h"
#include "device/device.h"

namespace zetl::debug {

/// Asks the agent at the other end for the device, and proves that this process may debug `process` and that the agent
/// is in it. NEEDS_PRIVILEGE: one of the two is not true. BUSY, UNSUPPORTED, GONE: the agent's answer. NOT_READY: no
/// answer within the time limit, or the agent closed the connection. LOST: the process ended, or its agent sent
/// nonsense. Every refusal is logged.
zetl_status_t introduce(int socket, pid_t process, const device::Uuid& device);

}  // namespace zetl::debug
