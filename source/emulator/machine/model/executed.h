// How much was executed, of what the model counts.
#pragma once

#include <cstdint>

namespace zetl::emulator::machine {

/// Cycles grow with instructions, lines with messages: a thread that calculates for longer asks for no more lines.
struct Executed {
    std::uint64_t instructions = 0;
    std::uint64_t messages = 0;

    friend Executed operator-(const Executed& a, const Executed& b) noexcept {
        return {a.instructions - b.instructions, a.messages - b.messages};
    }
};

}  // namespace zetl::emulator::machine
