// An instruction, and what a debugger must know about it, for any device.
#pragma once

#include <array>
#include <cstdint>

namespace zetl::debugger {

struct Instruction {
    std::array<std::uint64_t, 2> words{};  ///< a short instruction uses only the first
    unsigned bytes = 16;
    bool isCall = false;
    bool isReturn = false;
    bool mayWrite = false;  ///< memory
    bool mayWait = false;   ///< for other threads
    bool endsThread = false;
    bool signalsBarrier = false;
    bool waitsAtBarrier = false;
    unsigned width = 1;         ///< lanes
    std::int64_t distance = 0;  ///< from a call to the function; 0: a register says which
    // General registers, by number; -1: none.
    int link = -1;     ///< where a call saves its return address, and where a return finds it
    int written = -1;  ///< the first that it writes
};

/// How to set a breakpoint in the first bytes of an instruction: the masked bits are `on` with it, `off` without it.
struct BreakpointCode {
    unsigned bytes = 0;
    std::array<std::uint64_t, 2> mask{};
    std::array<std::uint64_t, 2> on{};
    std::array<std::uint64_t, 2> off{};
};

}  // namespace zetl::debugger
