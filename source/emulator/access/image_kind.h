// Maps the containers of native binaries to their kinds in device access.
#pragma once

#include <ze_tools_layer/device_access.h>

#include "binary/native_binary.h"

namespace zetl::emulator::access {

inline zetl_image_kind_t kindOf(std::span<const std::uint8_t> image) {
    const bool zebin = binary::containerOf(image) == binary::ModuleImage::Container::zebin;
    return zebin ? ZETL_IMAGE_ZEBIN : ZETL_IMAGE_PATCH_TOKENS;
}

}  // namespace zetl::emulator::access
