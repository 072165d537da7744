// What a kernel begins with: lines that load what is a thread's own, its work-items' ids. Hardware that makes these
// itself starts threads behind them, with the ids in registers.
#pragma once

#include <cstdint>

#include "emulator/isa/program.h"

namespace zetl::emulator::isa {

struct Prologue {
    std::uint32_t entry;   ///< its first line, relative to the instruction base
    std::uint32_t behind;  ///< the line behind it
    /// What a thread that starts behind it finds in its registers from r1 on: a block of its own, then what comes in
    /// line.
    std::uint32_t blockBytes;
    std::uint32_t inlineBytes;
    std::uint32_t blocksAt;  ///< the first thread's block, from where r0 points
    bool operator<(const Prologue& other) const noexcept;
};

/// Whether a thread that starts at the entry, and has in r1 and up only what comes in line, arrives behind with the
/// same in its registers as one that starts there: found out by letting one do so. False if the host is out of memory.
bool loadsBlocks(const Program& program, const Prologue& prologue) noexcept;

}  // namespace zetl::emulator::isa
