// Which way threads went where machine code branches, worked out from how often instructions were executed.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "isa/xe/architecture.h"

namespace zetl::command {

/// A place where threads decide.
struct Decision {
    std::uint32_t offset = 0;          ///< of the branch
    bool reached = false;              ///< by a thread
    std::vector<std::uint64_t> taken;  ///< threads by way: on behind the branch, then to its targets
};

struct CodeWays {
    std::uint32_t firstBlockEnd = 0;  ///< offset behind what a thread executes before it can go different ways
    std::vector<Decision> decisions;
};

/// The conditional branches of a kernel's code for which the counts leave no doubt: what comes into a block leaves it.
/// `executed`: how often the instruction at an offset was. Lanes that part stay in one thread, so a way counts if the
/// thread as a whole went there.
CodeWays waysIn(const isa::xe::Architecture& architecture, std::span<const std::uint8_t> code, bool launchable,
                const std::function<std::uint64_t(std::uint32_t)>& executed);

}  // namespace zetl::command
