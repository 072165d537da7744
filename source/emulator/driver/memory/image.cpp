#include "emulator/driver/memory/image.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "driver/holder.h"
#include "driver/output.h"
#include "emulator/driver/device/device.h"
#include "emulator/driver/device/platform.h"
#include "emulator/driver/memory/context.h"
#include "emulator/driver/memory/memory_sharing.h"

namespace zetl::emulator::driver {
namespace {

using zetl::isa::xe::SamplerState;
using zetl::isa::xe::SurfaceState;

constexpr std::uint64_t kPitchAlignment = 64;

constexpr std::uint64_t roundUp(std::uint64_t value, std::uint64_t unit) noexcept {
    return (value + unit - 1) / unit * unit;
}

/// Rows of all planes together.
std::uint64_t rowsOf(const ImageDescription& image) noexcept {
    const std::uint64_t rows = image.height;
    switch (image.format.planes) {
        case ImageFormat::Planes::lumaAndChroma:
            return roundUp(rows, SurfaceState::kSliceRows) + (rows + 1) / 2;
        case ImageFormat::Planes::three:
            return 3 * roundUp(rows, SurfaceState::kSliceRows);
        default:
            return rows;
    }
}

/// Frees memory of the machine.
struct DeviceMemory {
    std::uint64_t address;

    explicit DeviceMemory(std::uint64_t begin) noexcept : address(begin) {}
    ~DeviceMemory() { platform().memory().free(address); }
    DeviceMemory(const DeviceMemory&) = delete;
    DeviceMemory& operator=(const DeviceMemory&) = delete;
};

Status choosePitches(const ImageDescription& image, Image::Place& place) {
    const std::uint64_t row = image.width * image.format.texelBytes();
    if (image.type == ZE_IMAGE_TYPE_BUFFER) {
        place.rowPitch = place.slicePitch = place.bytes = row;
        return ZE_RESULT_SUCCESS;
    }
    place.rowPitch = image.rowPitch != 0 ? image.rowPitch : roundUp(row, kPitchAlignment);
    const std::uint64_t rows = image.hasSlices() ? roundUp(rowsOf(image), SurfaceState::kSliceRows) : rowsOf(image);
    place.slicePitch = image.slicePitch != 0 && image.hasSlices() ? image.slicePitch : rows * place.rowPitch;
    constexpr std::uint64_t kMostSliceRows = (1 << 15) * std::uint64_t{SurfaceState::kSliceRows};
    const bool slicesFit = !image.hasSlices() || (place.slicePitch % (place.rowPitch * SurfaceState::kSliceRows) == 0 &&
                                                  place.slicePitch / place.rowPitch < kMostSliceRows);
    if (place.rowPitch < row || place.rowPitch > SurfaceState::kMostPitch || !slicesFit ||
        place.slicePitch < place.rowPitch * rowsOf(image))
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                      "row pitch {} and slice pitch {} for rows of {} bytes; rows are at most {} bytes apart, and "
                      "slices a multiple of {} rows",
                      place.rowPitch, place.slicePitch, row, SurfaceState::kMostPitch, SurfaceState::kSliceRows);
    place.bytes = place.slicePitch * (image.depth - 1) + place.rowPitch * rowsOf(image);
    return ZE_RESULT_SUCCESS;
}

/// Memory for an image that has none yet.
Status allocate(Context& context, Device& device, const ImageDescription& image, Image::Place& place) {
    machine::Memory& memory = platform().memory();
    const auto owner = reinterpret_cast<std::uint64_t>(&context.usm());
    machine::Memory::Answer answer;
    if (image.descriptor) {
        answer = memory.import(*image.descriptor, place.bytes, owner);
        if (answer.status == machine::MemoryStatus::invalid) return refuseDescriptor(*image.descriptor, place.bytes);
    } else {
        machine::Memory::Request request;
        request.bytes = place.bytes;
        request.kind = machine::MemoryKind::device;
        request.owner = owner;
        request.budget = device.memoryBudget();
        answer = memory.allocate(request);
    }
    if (answer.status == machine::MemoryStatus::outOfHostMemory)
        return refuse(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "the host has no {} bytes left for an image", place.bytes);
    if (answer.status != machine::MemoryStatus::ok)
        return refuse(ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY,
                      "the device memory of this profile has no {} bytes left for an image", place.bytes);
    place.address = answer.address;
    try {
        place.memory = std::make_shared<DeviceMemory>(answer.address);
    } catch (...) {
        memory.free(answer.address);
        throw;
    }
    return ZE_RESULT_SUCCESS;
}

/// The part of another image's memory that a view shows.
Result<Image::Place> placeOfView(const ImageDescription& view, const Image& image) {
    Image::Place place = image.place();
    if (!view.plane) return place;
    const ImageFormat::Planes planes = image.format().planes;
    const std::uint32_t count = planes == ImageFormat::Planes::one ? 1 : 3;
    if (*view.plane >= count)
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "plane {} of an image that has {}", *view.plane, count);
    const std::uint64_t rows = roundUp(image.description().height, SurfaceState::kSliceRows);
    const std::uint32_t before = planes == ImageFormat::Planes::three ? *view.plane : std::min(*view.plane, 1u);
    place.address += before * rows * place.rowPitch;
    place.bytes -= before * rows * place.rowPitch;
    return place;
}

SurfaceState stateOf(const ImageDescription& image, const Image::Place& place) {
    SurfaceState state;
    state.type = image.surfaceType();
    state.array = image.isLayered();
    state.format = image.format.surface->number;
    state.width = image.width;
    state.height = image.height;
    state.depth = image.depth;
    state.pitch =
        static_cast<std::uint32_t>(image.type == ZE_IMAGE_TYPE_BUFFER ? image.format.texelBytes() : place.rowPitch);
    state.sliceRows = static_cast<std::uint32_t>(image.hasSlices() ? place.slicePitch / place.rowPitch : 0);
    state.select = image.format.selects;
    state.base = place.address;
    return state;
}

Result<std::shared_ptr<Image>> make(std::shared_ptr<Device> device, const ImageDescription& image, Image::Place place) {
    auto slot = StateSlot::take();
    if (!slot) return slot.code();
    const auto bytes = (*slot)->bytes();
    stateOf(image, place).write(bytes.first<SurfaceState::kBytes>());
    if (image.sampler) image.sampler->write(bytes.subspan<StateSlot::kSamplerAt, SamplerState::kBytes>());
    return std::make_shared<Image>(std::move(device), image, std::move(place), *std::move(slot));
}

}  // namespace

Image::Image(std::shared_ptr<Device> device, const ImageDescription& description, Place place,
             std::shared_ptr<StateSlot> state)
    : device_(std::move(device)), description_(description), place_(std::move(place)), state_(std::move(state)) {}

Result<std::shared_ptr<Image>> Image::create(Context& context, std::shared_ptr<Device> device,
                                             const ze_image_desc_t& description) {
    if (const Status bad = requireImages(context, *device, ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
        bad != ZE_RESULT_SUCCESS)
        return bad;
    const auto image = readImageDescription(description, false);
    if (!image) return image.code();
    Place place;
    if (const Status bad = choosePitches(*image, place); bad != ZE_RESULT_SUCCESS) return bad;
    if (image->pitched) {
        if (!zetl::driver::holderOf(context, image->pitched))
            return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                          "{} is in no allocation; give an image's memory by zeMemAlloc...", image->pitched);
        place.address = reinterpret_cast<std::uint64_t>(image->pitched);
    } else if (const Status bad = allocate(context, *device, *image, place); bad != ZE_RESULT_SUCCESS) {
        return bad;
    }
    return make(std::move(device), *image, std::move(place));
}

Result<std::shared_ptr<Image>> Image::createView(Context& context, std::shared_ptr<Device> device,
                                                 const ze_image_desc_t& description, const Image& image) {
    if (const Status bad = requireImages(context, *device, ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
        bad != ZE_RESULT_SUCCESS)
        return bad;
    auto view = readImageDescription(description, true);
    if (!view) return view.code();
    // Intel's driver halves what the caller says of the planes of both chromas.
    if (view->plane && *view->plane != 0 && image.format().planes == ImageFormat::Planes::lumaAndChroma) {
        view->width = std::max<std::uint64_t>(view->width / 2, 1);
        view->height = std::max(view->height / 2, 1u);
    }
    auto place = placeOfView(*view, image);
    if (!place) return place.code();
    return make(std::move(device), *view, *std::move(place));
}

Status Image::memoryProperties(ze_image_memory_properties_exp_t& out) const noexcept {
    out.size = place_.bytes;
    out.rowPitch = place_.rowPitch;
    out.slicePitch = place_.slicePitch;
    return ZE_RESULT_SUCCESS;
}

Result<std::uint64_t> Image::deviceOffset() const {
    if (description_.bindless) return std::uint64_t{stateOffset()};
    return refuse(ZE_RESULT_ERROR_NOT_AVAILABLE, "the image was not created with ZE_IMAGE_BINDLESS_EXP_FLAG_BINDLESS");
}

Status imageProperties(Device& device, const ze_image_desc_t& description, ze_image_properties_t& out) {
    // ze_image_format_support_ext_properties_t, which headers before specification 1.15 do not have.
    constexpr auto kFormatSupport = static_cast<ze_structure_type_t>(0x00010014);
    struct FormatSupport {
        ze_structure_type_t stype;
        void* pNext;
        ze_bool_t supported;
    };
    const bool images = device.profile().architecture().images;
    out.samplerFilterFlags = images ? ZE_IMAGE_SAMPLER_FILTER_FLAG_LINEAR : 0;
    forEachLink(&out, ZE_STRUCTURE_TYPE_IMAGE_PROPERTIES, fillLink<FormatSupport>(kFormatSupport, [&](auto& more) {
        more.supported = images && isImageFormat(description.format);
    }));
    return ZE_RESULT_SUCCESS;
}

Status imageAllocation(const Image&, ze_image_allocation_ext_properties_t& out) noexcept {
    out.id = 0;
    return ZE_RESULT_SUCCESS;
}

Result<std::size_t> pitchFor2dImage(Device&, std::size_t width, std::size_t, unsigned elementBytes) {
    constexpr unsigned kSizes[] = {1, 2, 3, 4, 6, 8, 16};
    if (std::ranges::find(kSizes, elementBytes) == std::end(kSizes))
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "elements of {} bytes; formats have 1, 2, 3, 4, 6, 8 or 16",
                      elementBytes);
    const unsigned texel = elementBytes == 3 ? 4 : elementBytes == 6 ? 8 : elementBytes;
    return static_cast<std::size_t>(roundUp(std::uint64_t{width} * texel, kPitchAlignment));
}

Status imageResidency(Device&, const Image&) noexcept { return ZE_RESULT_SUCCESS; }

}  // namespace zetl::emulator::driver
