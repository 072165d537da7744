// Where the emulated GPU keeps the data of a launch that threads get in registers alone: in front of the indirect data,
// for debuggers, which cannot ask for it when the registers have been reused. Other drivers keep no such copy.
#pragma once

#include <cstdint>

namespace zetl::binary {

struct InlineCopy {
    static constexpr std::uint32_t kBytes = 128;  ///< in front of the data: the copy, the mark, and nothing
    static constexpr std::uint32_t kMarkAt = 64;  ///< behind the longest inline data
    static constexpr std::uint64_t kMark = 0x656e696c6e497445;
};

}  // namespace zetl::binary
