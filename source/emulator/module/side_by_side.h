// Independent pieces of work on all cores.
#pragma once

#include <cstddef>
#include <functional>

namespace zetl::emulator::module {

/// Calls work(0) to work(count - 1), each once, on as many threads as there are cores, the caller's among them, and
/// waits for all. Once a call returns false, no further ones begin. Returns whether all returned true.
bool sideBySide(std::size_t count, const std::function<bool(std::size_t)>& work);

}  // namespace zetl::emulator::module
