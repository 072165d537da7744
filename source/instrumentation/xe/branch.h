// The targets of one branch.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/xe/instruction.h"

namespace zetl::instrumentation {

/// How execution goes on behind an instruction that does not simply go on to the next one.
struct Branch {
    std::vector<std::uint32_t> targets;  ///< offsets at which execution may go on
    std::vector<std::uint32_t> waits;    ///< offsets at which lanes that it turns off wait
    bool fallsThrough = true;
    bool calls = false;  ///< comes back behind itself when the function at the target returns
    bool returns = false;
    bool external = false;  ///< calls code at an address that is in a register
    bool computed = false;  ///< jumps to an address that is in a register
};

/// Whether an instruction ends its block, and perhaps the thread.
bool endsBlock(const isa::xe::Instruction& instruction) noexcept;

Branch branchOf(const isa::xe::Instruction& instruction);

}  // namespace zetl::instrumentation
