// The writers' half of the barrier that protects announcements (see thread.h).
#pragma once

namespace zetl::tracing {

/// Asks the kernel for membarrier(2), once. Call it before the first snapshot is published.
void prepareBarrier() noexcept;

/// Once it returns, the announcement of every thread that read a snapshot before it was replaced is visible.
void passBarrier() noexcept;

}  // namespace zetl::tracing
