// The data about a module's kernels that a debugger needs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace zetl::debugger {

/// Offsets are in the cross-thread data, which cubins do not have.
struct KernelInfo {
    std::string name;
    std::uint32_t simd = 0;  ///< work-items of a hardware thread
    std::uint32_t registers = 128;
    std::uint32_t crossThreadBytes = 0;  ///< rounded up to half a register, as in the data
    std::uint32_t localIdBytes = 0;      ///< per thread; 0: the kernel requests none
    std::uint32_t inlineBytes = 0;       ///< of the cross-thread data: they are not in front of the rest in memory
    std::optional<std::uint32_t> localSize;
    std::optional<std::uint32_t> globalOffset;
    std::map<std::uint32_t, std::uint32_t> images;  ///< where the number of an image's state is, by argument
};

/// The kernels in .ze_info, as far as it can be read.
std::vector<KernelInfo> kernelsFrom(std::string_view zeInfo);
/// The kernels of a cubin; none for other files.
std::vector<KernelInfo> kernelsOfCubin(std::span<const std::uint8_t> image);

}  // namespace zetl::debugger
