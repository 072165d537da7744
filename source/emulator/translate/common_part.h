// The part of a kernel that all threads of a group do alike: isa::CommonWork keeps what the first has found there.
//
// Of what threads begin with, only their number in the group differs (r0.2), and where they are; of memory only the
// arguments of the launch are looked at, which nobody writes.
#pragma once

#include <optional>
#include <vector>

#include "emulator/isa/code.h"

namespace zetl::emulator::translate {

struct CommonPart {
    struct Piece {
        std::uint32_t place;
        std::uint32_t bytes;
    };
    /// A register that threads write there, its place.
    struct Slot {
        std::uint32_t place;
        bool whole;  ///< it is taken over as it is; otherwise by pieces, its other bytes are the thread's own
    };
    /// What is written only on some of the ways.
    struct Detour {
        isa::Line line;  ///< a thread that comes here writes all of it, and no other thread does
        std::vector<Piece> pieces;
    };
    isa::Line from = 0;  ///< its first line
    isa::Line to = 0;    ///< where it ends: all ways from the one lead to the other
    std::vector<Slot> slots;
    std::vector<Piece> pieces;
    std::vector<Detour> detours;
    bool setsMode = false;  ///< cr0 may be another behind it

    bool contains(isa::Line line) const noexcept { return from <= line && line < to; }
};

/// Nothing if there is no part of a length that pays. For threads of which all `lanes` are on, of a launch that loads
/// nothing for each of them.
std::optional<CommonPart> findCommonPart(const isa::Program::Code& code, isa::Line entry, std::uint32_t lanes);

}  // namespace zetl::emulator::translate
