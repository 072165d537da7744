// What a hardware thread does in each cycle between its begin and its end.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace zetl::emulator::machine {

enum class StallReason : std::uint8_t {
    active,    ///< an instruction of it is issued
    control,   ///< waits for a branch
    pipe,      ///< could go on, but the pipe is taken by another thread
    send,      ///< the queue of messages is full
    distance,  ///< waits for an arithmetic result
    token,     ///< waits for a message or another result of unknown time
    sync,      ///< waits at a barrier
    fetch,     ///< has begun, and its first instruction is not there yet
    other,
    count_,
};
inline constexpr std::size_t kStallReasons = static_cast<std::size_t>(StallReason::count_);

/// Cycles of threads, by what they did.
using StallCycles = std::array<std::uint64_t, kStallReasons>;

/// As the metric group EuStallSampling calls them.
const char* nameOf(StallReason reason) noexcept;

/// Where threads of a tile spent their cycles: one instruction.
struct InstructionStalls {
    std::uint64_t address = 0;
    StallCycles cycles{};
};

}  // namespace zetl::emulator::machine
