// The part of a kernel that all threads of a group do alike. isa::CommonWork keeps the results of the first thread.
//
// Threads begin alike except for their number in the group (r0.2) and their places; of memory only the arguments of the
// launch are looked at, which nothing writes.
#pragma once

#include <optional>
#include <vector>

#include "emulator/isa/code.h"
#include "emulator/translate/plan/survey.h"

namespace zetl::emulator::translate {

struct CommonPart {
    struct Piece {
        std::uint32_t place;
        std::uint32_t bytes;
    };
    /// A register that threads write there, by its place.
    struct Slot {
        std::uint32_t place;
        bool whole;  ///< taken over as it is; otherwise in pieces, and its other bytes stay the thread's own
    };
    /// Registers that are written only on some of the ways.
    struct Detour {
        isa::Line line;  ///< a thread that comes here writes all of it, and no other thread does
        std::vector<Piece> pieces;
    };
    isa::Line from = 0;  ///< its first line
    isa::Line to = 0;    ///< the line at which it ends; all ways from the first line lead to it
    std::vector<Slot> slots;
    std::vector<Piece> pieces;
    std::vector<Detour> detours;
    bool setsMode = false;  ///< cr0 may have changed behind it

    bool contains(isa::Line line) const noexcept { return from <= line && line < to; }
};

/// Returns nothing if no part is long enough to pay. For threads with all `lanes` on, of a launch that loads no data
/// per thread.
std::optional<CommonPart> findCommonPart(const isa::Program::Code& code, const Survey& survey, isa::Line entry,
                                         std::uint32_t lanes);

}  // namespace zetl::emulator::translate
