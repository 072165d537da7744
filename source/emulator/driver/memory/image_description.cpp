#include "emulator/driver/memory/image_description.h"

#include <algorithm>
#include <atomic>
#include <iterator>

#include "emulator/driver/device/device.h"
#include "emulator/driver/memory/context.h"
#include "emulator/driver/memory/memory_sharing.h"
#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::driver {
namespace {

using zetl::isa::xe::AddressMode;
using zetl::isa::xe::SurfaceState;

// ze_custom_pitch_exp_desc_t, which headers before specification 1.13 do not have.
constexpr auto kCustomPitch = static_cast<ze_structure_type_t>(0x00020042);
struct CustomPitch {
    ze_structure_type_t stype;
    const void* pNext;
    std::size_t rowPitch;
    std::size_t slicePitch;
};
constexpr std::uint32_t kImportWin32 = 0x00010007;

Status checkFlags(const ze_image_desc_t& description) {
    constexpr ze_image_flags_t kFlags = ZE_IMAGE_FLAG_KERNEL_WRITE | ZE_IMAGE_FLAG_BIAS_UNCACHED;
    if (description.flags & ~kFlags) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    if (description.type <= ZE_IMAGE_TYPE_BUFFER) return ZE_RESULT_SUCCESS;
    return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "type {} is no type of images", static_cast<int>(description.type));
}

/// What the chain behind a descriptor holds, by the struct's own type.
class Chain {
  public:
    explicit Chain(const ze_image_desc_t& description) : description_(description) {}

    template <class T>
    const T* find(std::uint32_t type) const {
        return findInChain<T>(&description_, ZE_STRUCTURE_TYPE_IMAGE_DESC, static_cast<ze_structure_type_t>(type));
    }
    Status refuseUnknown() const {
        return refuseOthers(
            &description_, ZE_STRUCTURE_TYPE_IMAGE_DESC,
            {ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMPORT_FD, kImportWin32, ZE_STRUCTURE_TYPE_IMAGE_VIEW_PLANAR_EXT_DESC,
             ZE_STRUCTURE_TYPE_IMAGE_VIEW_PLANAR_EXP_DESC, ZE_STRUCTURE_TYPE_BINDLESS_IMAGE_EXP_DESC,
             ZE_STRUCTURE_TYPE_PITCHED_IMAGE_EXP_DESC, ZE_STRUCTURE_TYPE_SAMPLER_DESC, kCustomPitch,
             ZE_STRUCTURE_TYPE_SRGB_EXT_DESC, ZE_STRUCTURE_TYPE_MEMORY_COMPRESSION_HINTS_EXT_DESC,
             ZE_STRUCTURE_TYPE_RELAXED_ALLOCATION_LIMITS_EXP_DESC},
            ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION);
    }

  private:
    const ze_image_desc_t& description_;
};

std::uint32_t atLeastOne(std::uint32_t size) noexcept { return std::max(size, 1u); }

void readSizes(const ze_image_desc_t& from, ImageDescription& to) {
    to.width = std::max<std::uint64_t>(from.width, 1);
    const bool hasHeight =
        from.type == ZE_IMAGE_TYPE_2D || from.type == ZE_IMAGE_TYPE_2DARRAY || from.type == ZE_IMAGE_TYPE_3D;
    to.height = hasHeight ? atLeastOne(from.height) : 1;
    to.depth = 1;
    if (from.type == ZE_IMAGE_TYPE_3D) to.depth = atLeastOne(from.depth);
    if (to.isLayered()) to.depth = atLeastOne(from.arraylevels);
    to.levels = atLeastOne(from.miplevels);
}

Status checkSizes(const ImageDescription& image) {
    const bool isBuffer = image.type == ZE_IMAGE_TYPE_BUFFER;
    const std::uint64_t widest = isBuffer ? SurfaceState::kMostElements : SurfaceState::kMostWidth;
    if (image.width <= widest && image.height <= SurfaceState::kMostHeight && image.depth <= SurfaceState::kMostDepth &&
        image.levels <= 15)
        return ZE_RESULT_SUCCESS;
    return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                  "an image of {} x {} x {}; surface states of the device hold {} x {} x {}", image.width, image.height,
                  image.depth, widest, SurfaceState::kMostHeight, SurfaceState::kMostDepth);
}

Status readBindless(const Chain& chain, ImageDescription& image) {
    const auto* const asked = chain.find<ze_image_bindless_exp_desc_t>(ZE_STRUCTURE_TYPE_BINDLESS_IMAGE_EXP_DESC);
    const auto* const sampler = chain.find<ze_sampler_desc_t>(ZE_STRUCTURE_TYPE_SAMPLER_DESC);
    const ze_image_bindless_exp_flags_t flags = asked ? asked->flags : 0;
    image.bindless = (flags & ZE_IMAGE_BINDLESS_EXP_FLAG_BINDLESS) != 0;
    if (!(flags & ZE_IMAGE_BINDLESS_EXP_FLAG_SAMPLED_IMAGE)) return ZE_RESULT_SUCCESS;
    if (image.bindless && sampler) image.sampler = readSampler(*sampler);
    if (image.sampler) return ZE_RESULT_SUCCESS;
    return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                  "a sampled image needs ZE_IMAGE_BINDLESS_EXP_FLAG_BINDLESS and a chained ze_sampler_desc_t");
}

Status readMemory(const Chain& chain, bool isView, ImageDescription& image) {
    const auto* const pitched = chain.find<ze_image_pitched_exp_desc_t>(ZE_STRUCTURE_TYPE_PITCHED_IMAGE_EXP_DESC);
    const bool isBuffer = image.type == ZE_IMAGE_TYPE_BUFFER;
    if (!pitched && isBuffer && !isView)
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                      "an image of type BUFFER lies in an allocation; chain ze_image_pitched_exp_desc_t");
    const bool allowed = isBuffer || image.type == ZE_IMAGE_TYPE_2D || image.bindless;
    if (pitched && (!allowed || isView))
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                      "images in allocations are of type BUFFER or 2D, or bindless, and no views");
    if (pitched) image.pitched = pitched->ptr;
    if (const auto* const pitch = chain.find<CustomPitch>(kCustomPitch)) {
        image.rowPitch = pitch->rowPitch;
        image.slicePitch = pitch->slicePitch;
    }
    return ZE_RESULT_SUCCESS;
}

void readPlane(const Chain& chain, ImageDescription& image) {
    if (const auto* const ext =
            chain.find<ze_image_view_planar_ext_desc_t>(ZE_STRUCTURE_TYPE_IMAGE_VIEW_PLANAR_EXT_DESC))
        image.plane = ext->planeIndex;
    if (const auto* const exp =
            chain.find<ze_image_view_planar_exp_desc_t>(ZE_STRUCTURE_TYPE_IMAGE_VIEW_PLANAR_EXP_DESC))
        image.plane = exp->planeIndex;
}

}  // namespace

SurfaceState::Type ImageDescription::surfaceType() const noexcept {
    switch (type) {
        case ZE_IMAGE_TYPE_1D:
        case ZE_IMAGE_TYPE_1DARRAY:
            return SurfaceState::Type::line;
        case ZE_IMAGE_TYPE_3D:
            return SurfaceState::Type::volume;
        case ZE_IMAGE_TYPE_BUFFER:
            return SurfaceState::Type::buffer;
        default:
            return SurfaceState::Type::plane;
    }
}

Status requireImages(Context& context, Device& device, ze_result_t code) {
    constexpr fmt::string_view kText = "{} has no images and samplers; the profiles b580, lnl and ptl have them";
    static std::atomic<bool> told{false};
    if (!device.profile().architecture().images)
        return told.exchange(true) ? refuseProbe(code, kText, device.name()) : refuse(code, kText, device.name());
    if (context.holds(device)) return ZE_RESULT_SUCCESS;
    return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the device is not one of those the context was created for");
}

Result<ImageDescription> readImageDescription(const ze_image_desc_t& description, bool isView) {
    const Chain chain(description);
    ImageDescription image;
    image.type = description.type;
    const auto* const srgb = chain.find<ze_srgb_ext_desc_t>(ZE_STRUCTURE_TYPE_SRGB_EXT_DESC);
    if (description.format.layout == ZE_IMAGE_FORMAT_LAYOUT_32_32_32)
        return readImageFormat(description.format, false).code();
    if (const Status bad = chain.refuseUnknown(); bad != ZE_RESULT_SUCCESS) return bad;
    const auto format = readImageFormat(description.format, srgb && srgb->sRGB);
    if (!format) return format.code();
    image.format = *format;
    readSizes(description, image);
    readPlane(chain, image);
    for (const Status bad : {checkFlags(description), checkSizes(image), readBindless(chain, image)})
        if (bad != ZE_RESULT_SUCCESS) return bad;
    if (const Status bad = readMemory(chain, isView, image); bad != ZE_RESULT_SUCCESS) return bad;
    const auto imported = importedDescriptor(&description, ZE_STRUCTURE_TYPE_IMAGE_DESC);
    if (!imported) return imported.code();
    image.descriptor = *imported;
    return image;
}

std::optional<zetl::isa::xe::SamplerState> readSampler(const ze_sampler_desc_t& description) noexcept {
    // By ze_sampler_address_mode_t: NONE leaves coordinates beyond the edge undefined; Intel's driver gives the border.
    constexpr AddressMode kModes[] = {AddressMode::border, AddressMode::wrap, AddressMode::clamp, AddressMode::border,
                                      AddressMode::mirror};
    const auto mode = static_cast<std::uint32_t>(description.addressMode);
    if (mode >= std::size(kModes)) return std::nullopt;
    if (description.filterMode != ZE_SAMPLER_FILTER_MODE_NEAREST &&
        description.filterMode != ZE_SAMPLER_FILTER_MODE_LINEAR)
        return std::nullopt;
    zetl::isa::xe::SamplerState state;
    state.linear = description.filterMode == ZE_SAMPLER_FILTER_MODE_LINEAR;
    state.normalized = description.isNormalized != 0;
    state.address.fill(kModes[mode]);
    return state;
}

}  // namespace zetl::emulator::driver
