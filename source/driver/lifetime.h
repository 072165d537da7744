// When the driver may be used: after zeInit, but not in a child that was forked after the process had initialised it.
#pragma once

namespace zetl::driver::lifetime {

/// Marks the driver as initialised and registers the fork handler; later calls do nothing. Thread-safe.
void initialise() noexcept;

bool initialised() noexcept;

/// True in a child that inherited an initialised driver. Its workers stayed with the parent, and threads that do not
/// exist in the child may hold its locks, so nothing behind the boundary may run.
bool inForkedChild() noexcept;

}  // namespace zetl::driver::lifetime
