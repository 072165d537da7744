// How often instructions were executed, counted for somebody outside of the machine.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

namespace zetl::emulator::machine {

/// Instructions start at multiples of it.
inline constexpr std::uint64_t kCountedBytes = 8;

/// A word for each kCountedBytes of code. Threads of the machine add to them at any time.
using ExecutionCounts = std::span<std::atomic<std::uint64_t>>;

}  // namespace zetl::emulator::machine
