// Fetches what will be needed soon into the host's cache.
#pragma once

namespace zetl::emulator::machine {

/// An instruction that the compiler must keep: GCC takes a function that only calls __builtin_prefetch for one without
/// effect, and leaves out calls of it that it has not inlined.
inline void prefetch(const void* address) noexcept {
    asm volatile("prefetcht0 %0" : : "m"(*static_cast<const char*>(address)));
}

}  // namespace zetl::emulator::machine
