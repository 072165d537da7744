#include "emulator/driver/execution/append_image.h"

#include <algorithm>
#include <utility>

#include "emulator/driver/execution/command_list.h"
#include "emulator/driver/execution/image_operations.h"

namespace zetl::emulator::driver {
namespace {

/// A region, whose layers of a one-dimensional array are rows.
struct Region {
    std::uint32_t x = 0;
    std::uint32_t y = 0;
    std::uint32_t z = 0;
    ImageExtent extent;
};

/// The whole image as a region.
ImageExtent extentOf(const Image& image) noexcept {
    const ImageDescription& of = image.description();
    ImageExtent extent{static_cast<std::uint32_t>(of.width), of.height, of.depth};
    if (of.type == ZE_IMAGE_TYPE_1DARRAY) std::swap(extent.height, extent.depth);
    return extent;
}

Result<Region> regionOf(const Image& image, const ze_image_region_t* asked) {
    const ImageExtent whole = extentOf(image);
    if (!asked) return Region{0, 0, 0, whole};
    const Region region{asked->originX,
                        asked->originY,
                        asked->originZ,
                        {asked->width, std::max(asked->height, 1u), std::max(asked->depth, 1u)}};
    const auto fits = [](std::uint32_t origin, std::uint32_t size, std::uint32_t all) {
        return std::uint64_t{origin} + size <= all;
    };
    const ImageExtent& extent = region.extent;
    if (fits(region.x, extent.width, whole.width) && fits(region.y, extent.height, whole.height) &&
        fits(region.z, extent.depth, whole.depth))
        return region;
    return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                  "a region of {} x {} x {} at ({}, {}, {}) of an image with {} x {} x {}; layers are counted in y for "
                  "1D arrays and in z for 2D arrays",
                  extent.width, extent.height, extent.depth, region.x, region.y, region.z, whole.width, whole.height,
                  whole.depth);
}

ImageSide sideOf(std::shared_ptr<Image> image, const Region& region) {
    const Image::Place& place = image->place();
    const std::uint32_t bytes = image->format().texelBytes();
    const bool layers = image->description().type == ZE_IMAGE_TYPE_1DARRAY;
    ImageSide side{nullptr, place.address, layers ? place.slicePitch : place.rowPitch, place.slicePitch, bytes};
    side.first = side.row(region.y, region.z) + std::uint64_t{region.x} * bytes;
    side.image = std::move(image);
    return side;
}

/// Memory with the pixels of a region. A pitch of 0 follows from the image, which may have been given pitches.
ImageSide memorySide(const void* memory, const Image& image, const ImageExtent& extent, std::uint64_t rowPitch,
                     std::uint64_t slicePitch) {
    const ImageDescription& of = image.description();
    ImageSide side;
    side.first = reinterpret_cast<std::uint64_t>(memory);
    side.pixelBytes = image.format().hostBytes;
    if (rowPitch == 0) rowPitch = of.rowPitch;
    if (slicePitch == 0) slicePitch = of.slicePitch;
    side.rowPitch = rowPitch != 0 ? rowPitch : std::uint64_t{extent.width} * side.pixelBytes;
    side.slicePitch = slicePitch != 0 ? slicePitch : extent.height * side.rowPitch;
    if (of.type == ZE_IMAGE_TYPE_1DARRAY && slicePitch != 0) side.rowPitch = slicePitch;
    return side;
}

Status requireConversion(const CommandList& list, const Image& image) {
    if (!image.format().isWidened() || list.engine().computes()) return ZE_RESULT_SUCCESS;
    return refuse(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE,
                  "queue group {} only copies, and pixels of three channels are converted; use one with "
                  "ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE",
                  list.ordinal());
}

}  // namespace

Status appendImageCopyRegion(CommandList& list, std::shared_ptr<Image> to, std::shared_ptr<Image> from,
                             const ze_image_region_t* toRegion, const ze_image_region_t* fromRegion,
                             const EventUse& events) {
    const auto target = regionOf(*to, toRegion);
    if (!target) return target.code();
    const auto source = regionOf(*from, fromRegion);
    if (!source) return source.code();
    const ImageExtent& extent = source->extent;
    if (target->extent != extent)
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                      "regions of {} x {} x {} and {} x {} x {}; both must have one size", target->extent.width,
                      target->extent.height, target->extent.depth, extent.width, extent.height, extent.depth);
    return list.append(
        std::make_unique<ImageCopyOperation>(sideOf(std::move(to), *target), sideOf(std::move(from), *source), extent),
        events);
}

Status appendImageCopy(CommandList& list, std::shared_ptr<Image> to, std::shared_ptr<Image> from,
                       const EventUse& events) {
    return appendImageCopyRegion(list, std::move(to), std::move(from), nullptr, nullptr, events);
}

Status appendImageCopyToMemoryExt(CommandList& list, void* to, std::shared_ptr<Image> from,
                                  const ze_image_region_t* region, std::uint32_t rowPitch, std::uint32_t slicePitch,
                                  const EventUse& events) {
    if (const Status bad = requireConversion(list, *from); bad != ZE_RESULT_SUCCESS) return bad;
    const auto source = regionOf(*from, region);
    if (!source) return source.code();
    ImageSide memory = memorySide(to, *from, source->extent, rowPitch, slicePitch);
    return list.append(
        std::make_unique<ImageCopyOperation>(std::move(memory), sideOf(std::move(from), *source), source->extent),
        events);
}

Status appendImageCopyFromMemoryExt(CommandList& list, std::shared_ptr<Image> to, const void* from,
                                    const ze_image_region_t* region, std::uint32_t rowPitch, std::uint32_t slicePitch,
                                    const EventUse& events) {
    if (const Status bad = requireConversion(list, *to); bad != ZE_RESULT_SUCCESS) return bad;
    const auto target = regionOf(*to, region);
    if (!target) return target.code();
    ImageSide memory = memorySide(from, *to, target->extent, rowPitch, slicePitch);
    return list.append(
        std::make_unique<ImageCopyOperation>(sideOf(std::move(to), *target), std::move(memory), target->extent),
        events);
}

Status appendImageCopyToMemory(CommandList& list, void* to, std::shared_ptr<Image> from,
                               const ze_image_region_t* region, const EventUse& events) {
    return appendImageCopyToMemoryExt(list, to, std::move(from), region, 0, 0, events);
}

Status appendImageCopyFromMemory(CommandList& list, std::shared_ptr<Image> to, const void* from,
                                 const ze_image_region_t* region, const EventUse& events) {
    return appendImageCopyFromMemoryExt(list, std::move(to), from, region, 0, 0, events);
}

}  // namespace zetl::emulator::driver
