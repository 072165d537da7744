// What a module says of its kernels, as far as a debugger needs it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace zetl::debugger {

/// Offsets are those in the cross-thread data, which cubins have none of.
struct KernelInfo {
    std::string name;
    std::uint32_t simd = 0;  ///< work-items of a hardware thread
    std::uint32_t registers = 128;
    std::uint32_t crossThreadBytes = 0;  ///< rounded up to registers' halves, as the data are laid out
    std::uint32_t localIdBytes = 0;      ///< per thread; 0: the kernel asks for none
    std::optional<std::uint32_t> localSize;
    std::optional<std::uint32_t> globalOffset;
};

/// Those of .ze_info. Skips what it does not know.
std::vector<KernelInfo> kernelsFrom(std::string_view zeInfo);
/// None of what is no cubin.
std::vector<KernelInfo> kernelsOfCubin(std::span<const std::uint8_t> image);

}  // namespace zetl::debugger
