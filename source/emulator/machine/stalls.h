// A hardware thread's state in each cycle between its begin and its end.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace zetl::emulator::machine {

enum class StallReason : std::uint8_t {
    active,    ///< one of its instructions is issued
    control,   ///< waits for a branch
    pipe,      ///< could go on, but another thread has the pipe
    send,      ///< the queue of messages is full
    distance,  ///< waits for an arithmetic result
    token,     ///< waits for a message or another result of unknown time
    sync,      ///< waits at a barrier
    fetch,     ///< has begun, and its first instruction has not arrived yet
    other,
    count_,
};
inline constexpr std::size_t kStallReasons = static_cast<std::size_t>(StallReason::count_);

/// Cycles of threads, by their state.
using StallCycles = std::array<std::uint64_t, kStallReasons>;

/// The name in the metric group EuStallSampling.
const char* nameOf(StallReason reason) noexcept;

/// Where threads of a tile spent their cycles, for one instruction.
struct InstructionStalls {
    std::uint64_t address = 0;
    StallCycles cycles{};
};

}  // namespace zetl::emulator::machine
