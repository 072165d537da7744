#include "emulator/driver/execution/image_operations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "emulator/driver/device/device.h"
#include "emulator/driver/execution/transfer.h"

namespace zetl::emulator::driver {
namespace {

/// The bytes of the fourth channel, as 1, of an image whose pixels have three.
std::vector<std::byte> oneOf(const ImageFormat& format) {
    const std::uint32_t bytes = format.texelBytes() - format.hostBytes;
    std::uint32_t one = 1;
    const std::uint32_t most = bytes == 1 ? 0xff : 0xffff;
    constexpr std::uint32_t kHalfOne = 0x3c00;
    if (format.asked.type == ZE_IMAGE_FORMAT_TYPE_UNORM) one = most;
    if (format.asked.type == ZE_IMAGE_FORMAT_TYPE_SNORM) one = most >> 1;
    if (format.asked.type == ZE_IMAGE_FORMAT_TYPE_FLOAT && bytes == 2) one = kHalfOne;
    std::vector<std::byte> value(bytes);
    std::memcpy(value.data(), &one, std::min<std::size_t>(bytes, sizeof one));
    return value;
}

std::string describe(const ImageSide& side) {
    return side.image ? fmt::format("image {}", fmt::ptr(side.image.get())) : fmt::format("{:#x}", side.first);
}

}  // namespace

ImageCopyOperation::ImageCopyOperation(ImageSide to, ImageSide from, const ImageExtent& extent)
    : to_(std::move(to)), from_(std::move(from)), extent_(extent) {
    if (to_.pixelBytes <= from_.pixelBytes) return;
    if (to_.image && !from_.image && to_.image->format().isWidened()) filling_ = oneOf(to_.image->format());
    filling_.resize(to_.pixelBytes - from_.pixelBytes);
}

bool ImageCopyOperation::copyRow(Execution& execution, std::uint64_t to, std::uint64_t from,
                                 std::vector<std::byte>& source, std::vector<std::byte>& target) const {
    const auto addressOf = [](const std::vector<std::byte>& bytes) {
        return reinterpret_cast<std::uint64_t>(bytes.data());
    };
    if (!copyMemory(execution, addressOf(source), from, source.size())) return false;
    const std::size_t common = std::min(to_.pixelBytes, from_.pixelBytes);
    for (std::size_t x = 0; x < extent_.width; ++x) {
        std::memcpy(&target[x * to_.pixelBytes], &source[x * from_.pixelBytes], common);
        if (!filling_.empty()) std::memcpy(&target[x * to_.pixelBytes + common], filling_.data(), filling_.size());
    }
    return copyMemory(execution, to, addressOf(target), target.size());
}

bool ImageCopyOperation::run(Execution& execution) const {
    const auto busy = copying(execution);
    const bool converts = to_.pixelBytes != from_.pixelBytes;
    const std::uint64_t rowBytes = std::uint64_t{extent_.width} * from_.pixelBytes;
    std::vector<std::byte> source(converts ? rowBytes : 0);
    std::vector<std::byte> target(converts ? std::uint64_t{extent_.width} * to_.pixelBytes : 0);
    const bool joined = !converts && to_.rowPitch == rowBytes && from_.rowPitch == rowBytes;
    for (std::uint32_t z = 0; z < extent_.depth; ++z) {
        if (joined) {
            if (!copyMemory(execution, to_.row(0, z), from_.row(0, z), rowBytes * extent_.height)) return false;
            continue;
        }
        for (std::uint32_t y = 0; y < extent_.height; ++y) {
            const bool copied = converts ? copyRow(execution, to_.row(y, z), from_.row(y, z), source, target)
                                         : copyMemory(execution, to_.row(y, z), from_.row(y, z), rowBytes);
            if (!copied) return false;
        }
    }
    return true;
}

CommandDetails ImageCopyOperation::details() const {
    return {{"to", describe(to_)},
            {"from", describe(from_)},
            {"pixels", fmt::format("{}x{}x{}", extent_.width, extent_.height, extent_.depth)},
            {"bytes of a pixel", fmt::format("{}", from_.pixelBytes)}};
}

void ImageCopyOperation::addTo(Footprint& footprint) const {
    footprint.addresses.insert(footprint.addresses.end(), {to_.first, from_.first});
}

}  // namespace zetl::emulator::driver
