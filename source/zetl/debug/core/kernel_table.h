// What .ze_info says of a module's kernels, as far as a debugger needs it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zetl::debugger {

/// Offsets are those in the cross-thread data.
struct KernelInfo {
    std::string name;
    std::uint32_t simd = 0;  ///< work-items of a hardware thread
    std::uint32_t registers = 128;
    std::uint32_t crossThreadBytes = 0;  ///< rounded up to registers' halves, as the data are laid out
    std::uint32_t localIdBytes = 0;      ///< per thread; 0: the kernel asks for none
    std::optional<std::uint32_t> localSize;
    std::optional<std::uint32_t> globalOffset;
};

/// Skips what it does not know.
std::vector<KernelInfo> kernelsFrom(std::string_view zeInfo);

}  // namespace zetl::debugger
