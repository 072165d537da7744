// When the driver may be used: after zeInit, and not in a child that was forked from a process that had initialised it.
#pragma once

namespace zetl::driver::lifetime {

/// Marks the driver as initialised and registers the fork handler; later calls do nothing. Thread-safe.
void initialise() noexcept;

bool initialised() noexcept;

/// True in a child that inherited an initialised driver: its workers stayed with the parent and its locks may be held
/// by threads that do not exist here, so nothing behind the boundary may run.
bool inForkedChild() noexcept;

}  // namespace zetl::driver::lifetime
