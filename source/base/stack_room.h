// How much of its stack a thread of the host has left.
#pragma once

#include <cstddef>

namespace zetl {

/// False: the calling thread is known to have fewer bytes of stack below the caller. Stacks that the thread library did
/// not make, such as coroutines', count as large enough. Cheap but for a thread's first call.
bool stackHas(std::size_t bytes) noexcept;

}  // namespace zetl
