// Instructions that do not wait for what they use: the hardware finishes messages, products of matrices and functions
// out of order, and compilers mark the instructions that wait for them (isa/xe/scoreboard.h). Found in the code alone.
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/isa/program.h"

namespace zetl::emulator::check {

/// An instruction uses registers while another one may not have finished with them.
struct MissingWait {
    enum class What : std::uint8_t {
        readsUnwritten,    ///< it reads what the other one writes
        writesUnwritten,   ///< it writes what the other one writes, which may come later
        overwritesUnread,  ///< it writes what the other one reads, which may come later
    };
    What what;
    isa::Line line;                ///< the one that should wait
    isa::Line other;               ///< what it should wait for
    std::uint32_t token;           ///< of the other one
    std::uint32_t registerNumber;  ///< the first that both use
};

/// In the order of lines; of a line the first one of each other line. Follows all ways through the program, from each
/// place to which nothing leads, too.
///
/// Known limits: registers that are named by registers are not seen, and calls count as waits for everything. Distances
/// to instructions that finish in order are not looked at, nor are flags, address registers and accumulators.
std::vector<MissingWait> missingWaits(const isa::Program& program);

}  // namespace zetl::emulator::check
