// An instruction, and what a debugger must know of it, whatever device it is for.
#pragma once

#include <array>
#include <cstdint>

namespace zetl::debugger {

struct Instruction {
    std::array<std::uint64_t, 2> words{};  ///< of a short one only the first
    unsigned bytes = 16;
    bool isCall = false;
    bool isReturn = false;
    bool mayWrite = false;  ///< memory
    bool mayWait = false;   ///< as long as other threads want
    bool endsThread = false;
};

/// How a breakpoint is put into the first bytes of an instruction: the masked bits are `on`, or `off` without it.
struct BreakpointCode {
    unsigned bytes = 0;
    std::array<std::uint64_t, 2> mask{};
    std::array<std::uint64_t, 2> on{};
    std::array<std::uint64_t, 2> off{};
};

}  // namespace zetl::debugger
