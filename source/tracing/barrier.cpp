#include "tracing/barrier.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tracing/thread.h"

namespace zetl::tracing {
namespace {

bool membarrier(int command) noexcept { return syscall(SYS_membarrier, command, 0, 0) == 0; }

}  // namespace

void prepareBarrier() noexcept {
    // Not at start-up: registering can take milliseconds in a process with threads. The registration survives fork, and
    // registering twice is harmless; a guard could stay locked in a child.
    if (!asymmetricBarrier.load() && membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED))
        asymmetricBarrier.store(true);
}

void passBarrier() noexcept {
    if (asymmetricBarrier.load()) membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
}

}  // namespace zetl::tracing
