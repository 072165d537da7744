// The writers' half of the barrier that protects announcements (see thread.h).
#pragma once

namespace zetl::tracing {

/// To be called before the first snapshot is published; asks the kernel for membarrier(2) once.
void prepareBarrier() noexcept;

/// After it, every thread that read a snapshot before it was replaced has its announcement visible.
void passBarrier() noexcept;

}  // namespace zetl::tracing
