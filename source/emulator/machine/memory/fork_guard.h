// Tells a forked child from the process that made an object.
#pragma once

#include <cstdint>

namespace zetl::emulator::machine {

/// Remembers the process that constructed it. Cheap to ask (no system call) and safe in a child, where locks that other
/// threads of the parent held stay locked for ever: code that finds inChild() true must not take any.
class ForkGuard {
  public:
    ForkGuard() noexcept;
    bool inChild() const noexcept;

  private:
    std::uint64_t generation_;
};

}  // namespace zetl::emulator::machine
