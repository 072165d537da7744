// Names and relocation widths that the compiler and the driver agree on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "binary/module_image.h"

namespace zetl::binary {

/// Pseudo kernel that holds exported functions and program-scope data; not launchable.
inline constexpr std::string_view kFunctionHolder = "Intel_Symbol_Table_Void_Program";

/// Bytes between r0.0's address and the cross-thread data.
inline constexpr std::string_view kImplicitArgumentSymbol = "__INTEL_PATCH_CROSS_THREAD_OFFSET_OFF_R0";
/// Bytes from the cross-thread data behind the inline ones to the threads' blocks. The code holds them already; tools
/// that add data may change them. (Measured: modules for cri, ocloc 26.27.)
inline constexpr std::string_view kPerThreadOffsetSymbol = "__INTEL_PER_THREAD_OFF";
/// Where a kernel begins once its arguments are loaded; each kernel has its own.
inline constexpr std::string_view kEntrySymbol = "_entry";
/// Index of the sub-device a kernel runs on.
inline constexpr std::string_view kSubDeviceSymbol = "__SubDeviceID";
/// The number of private bytes of the kernel that finally calls an exported function.
inline constexpr std::string_view kPrivateSizeSymbol = "INTEL_PATCH_PRIVATE_MEMORY_SIZE";

/// Whether the linker itself gives the symbol its value.
constexpr bool isSpecialSymbol(std::string_view name) noexcept {
    return name == kImplicitArgumentSymbol || name == kPerThreadOffsetSymbol || name == kSubDeviceSymbol ||
           name == kPrivateSizeSymbol;
}

/// The number of bytes that a relocation changes; 0 for kinds that this device does not know.
constexpr std::uint64_t bytesOf(RelocationKind kind) noexcept {
    switch (kind) {
        case RelocationKind::address64:
            return 8;
        case RelocationKind::addressLow32:
        case RelocationKind::addressHigh32:
        case RelocationKind::perThreadPayloadOffset32:
            return 4;
        case RelocationKind::address16:
            return 2;
        case RelocationKind::none:
            break;
    }
    return 0;
}

}  // namespace zetl::binary
