#include "provider/image.h"

#include <cstring>

namespace zetl::provider {

zetl_status_t copyImage(std::span<const std::uint8_t> image, std::uint64_t offset, std::uint64_t bytes, void* buffer) {
    if (offset > image.size() || bytes > image.size() - offset) return ZETL_GONE;
    if (bytes > 0) std::memcpy(buffer, image.data() + offset, bytes);
    return ZETL_OK;
}

std::optional<std::vector<std::uint8_t>> rewritten(zetl_rewriter_t rewriter, void* user, zetl_device_t device,
                                                   zetl_image_kind_t kind, std::span<const std::uint8_t> image) {
    std::uint64_t bytes = 0;
    const auto* const changed =
        static_cast<const std::uint8_t*>(rewriter(user, device, kind, image.data(), image.size(), &bytes));
    if (!changed) return std::nullopt;
    return std::vector<std::uint8_t>(changed, changed + bytes);
}

}  // namespace zetl::provider
