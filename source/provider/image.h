// Images of modules: what readers copy, and what rewriters replace.
#pragma once

#include <ze_tools_layer/device_access.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace zetl::provider {

/// Copies bytes [offset, offset + bytes). Returns GONE, and copies nothing, if the image is shorter.
zetl_status_t copyImage(std::span<const std::uint8_t> image, std::uint64_t offset, std::uint64_t bytes, void* buffer);

/// The image that a rewriter gives for another one; nothing if it keeps it.
std::optional<std::vector<std::uint8_t>> rewritten(zetl_rewriter_t rewriter, void* user, zetl_device_t device,
                                                   zetl_image_kind_t kind, std::span<const std::uint8_t> image);

}  // namespace zetl::provider
