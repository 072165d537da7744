// What a function for threads of groups is given to do.
#pragma once

#include <cstdint>

namespace zetl::emulator::translate {

/// Successive groups along the first dimension, at least one.
struct GroupWork {
    std::uint32_t first = 0;    ///< thread of the first group
    std::uint32_t threads = 0;  ///< of each group
    std::uint32_t groups = 1;
    std::uint32_t partial = 0;  ///< threads at the end of each group that are left out: some of their lanes are off
    /// Where code that foresees accesses writes their addresses.
    std::uint64_t* addresses = nullptr;
};

}  // namespace zetl::emulator::translate
