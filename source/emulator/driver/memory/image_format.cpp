#include "emulator/driver/memory/image_format.h"

#include <algorithm>
#include <iterator>

#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::driver {
namespace {

using zetl::isa::xe::ChannelSelect;
using Planes = ImageFormat::Planes;

constexpr std::uint16_t kSrgb = 0x0c8;

// Surface formats by ze_image_format_type_t: UINT, SINT, UNORM, SNORM, FLOAT. (compute-runtime,
// level_zero/core/source/image/image_formats.h.)
struct Layout {
    ze_image_format_layout_t layout;
    std::uint16_t byType[5];
    std::uint8_t hostBytes = 0;  // 0: those of the texel
};
constexpr Layout kLayouts[] = {
    {ZE_IMAGE_FORMAT_LAYOUT_8, {0x143, 0x142, 0x140, 0x141, 0x143}},
    {ZE_IMAGE_FORMAT_LAYOUT_16, {0x10d, 0x10c, 0x10a, 0x10b, 0x10e}},
    {ZE_IMAGE_FORMAT_LAYOUT_32, {0x0d7, 0x0d6, 0x0f1, 0x0f2, 0x0d8}},
    {ZE_IMAGE_FORMAT_LAYOUT_8_8, {0x109, 0x108, 0x106, 0x107, 0x109}},
    {ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8, {0x0cb, 0x0ca, 0x0c7, 0x0c9, 0x0cb}},
    {ZE_IMAGE_FORMAT_LAYOUT_16_16, {0x0cf, 0x0ce, 0x0cc, 0x0cd, 0x0d0}},
    {ZE_IMAGE_FORMAT_LAYOUT_16_16_16_16, {0x083, 0x082, 0x080, 0x081, 0x084}},
    {ZE_IMAGE_FORMAT_LAYOUT_32_32, {0x087, 0x086, 0x08b, 0x08c, 0x085}},
    {ZE_IMAGE_FORMAT_LAYOUT_32_32_32_32, {0x002, 0x001, 0x003, 0x004, 0x000}},
    {ZE_IMAGE_FORMAT_LAYOUT_10_10_10_2, {0x0c4, 0x1b6, 0x0c2, 0x1b3, 0x0c4}},
    {ZE_IMAGE_FORMAT_LAYOUT_11_11_10, {0x0d3, 0x0d3, 0x0d3, 0x0d3, 0x0d3}},
    {ZE_IMAGE_FORMAT_LAYOUT_5_6_5, {0x100, 0x100, 0x100, 0x100, 0x100}},
    {ZE_IMAGE_FORMAT_LAYOUT_5_5_5_1, {0x102, 0x102, 0x102, 0x102, 0x102}},
    {ZE_IMAGE_FORMAT_LAYOUT_4_4_4_4, {0x104, 0x104, 0x104, 0x104, 0x104}},
    {ZE_IMAGE_FORMAT_LAYOUT_8_8_8, {0x0cb, 0x0ca, 0x0c7, 0x0c9, 0x0cb}, 3},
    {ZE_IMAGE_FORMAT_LAYOUT_16_16_16, {0x083, 0x082, 0x080, 0x081, 0x084}, 6},
};

// What an OpenCL program calls the order of a media layout. (cl_intel_packed_yuv, cl_intel_planar_yuv.)
struct MediaLayout {
    ze_image_format_layout_t layout;
    std::uint16_t surface;
    Planes planes = Planes::one;
    std::uint32_t order = 0;  // 0: none
};
constexpr MediaLayout kMedia[] = {
    {ZE_IMAGE_FORMAT_LAYOUT_Y8, 0x150},
    {ZE_IMAGE_FORMAT_LAYOUT_NV12, 0x1a5, Planes::lumaAndChroma, 0x410e},
    {ZE_IMAGE_FORMAT_LAYOUT_YUYV, 0x182, Planes::one, 0x4076},
    {ZE_IMAGE_FORMAT_LAYOUT_VYUY, 0x183, Planes::one, 0x4079},
    {ZE_IMAGE_FORMAT_LAYOUT_YVYU, 0x18f, Planes::one, 0x4078},
    {ZE_IMAGE_FORMAT_LAYOUT_UYVY, 0x190, Planes::one, 0x4077},
    {ZE_IMAGE_FORMAT_LAYOUT_AYUV, 0x0c7},
    {ZE_IMAGE_FORMAT_LAYOUT_P010, 0x1a6, Planes::lumaAndChroma},
    {ZE_IMAGE_FORMAT_LAYOUT_Y410, 0x0c2},
    {ZE_IMAGE_FORMAT_LAYOUT_P012, 0x1a6, Planes::lumaAndChroma},
    {ZE_IMAGE_FORMAT_LAYOUT_P016, 0x1a6, Planes::lumaAndChroma},
    {ZE_IMAGE_FORMAT_LAYOUT_Y216, 0x080},
    {ZE_IMAGE_FORMAT_LAYOUT_YUY2, 0x182},
    {ZE_IMAGE_FORMAT_LAYOUT_Y416, 0x080},
    {ZE_IMAGE_FORMAT_LAYOUT_Y210, 0x080},
    {ZE_IMAGE_FORMAT_LAYOUT_I420, 0x1a5, Planes::lumaAndChroma},
    {ZE_IMAGE_FORMAT_LAYOUT_YV12, 0x1a5, Planes::lumaAndChroma},
    {ZE_IMAGE_FORMAT_LAYOUT_RGBP, 0x143, Planes::three},
    {ZE_IMAGE_FORMAT_LAYOUT_BRGP, 0x143, Planes::three},
};

// By ze_image_format_swizzle_t; the last one stands for depth.
constexpr ChannelSelect kSelects[] = {ChannelSelect::red,   ChannelSelect::green, ChannelSelect::blue,
                                      ChannelSelect::alpha, ChannelSelect::zero,  ChannelSelect::one,
                                      ChannelSelect::zero,  ChannelSelect::red};
constexpr std::uint32_t kDepthSwizzle = 7;
constexpr ImageFormat::Selects kOpaque{ChannelSelect::red, ChannelSelect::green, ChannelSelect::blue,
                                       ChannelSelect::one};

Status refuseFormat(const ze_image_format_t& asked) {
    return refuse(ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT,
                  "no images of layout {} with type {} and swizzle {} {} {} {}; docs/reference/images.md lists the "
                  "formats",
                  static_cast<int>(asked.layout), static_cast<int>(asked.type), static_cast<int>(asked.x),
                  static_cast<int>(asked.y), static_cast<int>(asked.z), static_cast<int>(asked.w));
}

const MediaLayout* mediaLayoutOf(ze_image_format_layout_t layout) {
    const auto* const found = std::ranges::find(kMedia, layout, &MediaLayout::layout);
    return found == std::end(kMedia) ? nullptr : found;
}

/// What OpenCL calls an order of channels, and its sRGB form.
struct Order {
    std::array<std::uint32_t, 4> swizzle;
    std::uint32_t order;
    std::uint32_t srgb = 0;
};
enum : std::uint32_t { R, G, B, A, Zero, One };
constexpr Order kOrders[] = {
    {{R, Zero, Zero, One}, 0x10b0}, {{Zero, Zero, Zero, R}, 0x10b1}, {{R, G, Zero, One}, 0x10b2},
    {{R, Zero, Zero, G}, 0x10b3},   {{R, G, B, One}, 0x10b4},        {{R, G, B, A}, 0x10b5, 0x10c1},
    {{B, G, R, A}, 0x10b6, 0x10c2}, {{A, R, G, B}, 0x10b7},          {{A, B, G, R}, 0x10c3},
    {{R, R, R, One}, 0x10b9},       {{R, R, R, R}, 0x10b8},          {{kDepthSwizzle, Zero, Zero, One}, 0x10bd},
};

}  // namespace

std::uint32_t ImageFormat::channelOrder() const noexcept {
    if (const MediaLayout* const known = mediaLayoutOf(asked.layout); known && known->order != 0) return known->order;
    const std::array<std::uint32_t, 4> swizzle{static_cast<std::uint32_t>(asked.x), static_cast<std::uint32_t>(asked.y),
                                               static_cast<std::uint32_t>(asked.z),
                                               static_cast<std::uint32_t>(asked.w)};
    const auto* const found = std::ranges::find(kOrders, swizzle, &Order::swizzle);
    if (found == std::end(kOrders)) return kNoNumber;
    return surface->kind == zetl::isa::xe::TexelKind::srgb && found->srgb != 0 ? found->srgb : found->order;
}

std::uint32_t ImageFormat::channelType() const noexcept {
    constexpr std::uint32_t kUnorm8 = 0x10d2;
    // By ze_image_format_type_t. (compute-runtime, level_zero/core/source/image/image_format_desc_helper.cpp.)
    constexpr std::uint32_t k8[] = {0x10da, 0x10d7, 0x10d2, 0x10d0, kNoNumber};
    constexpr std::uint32_t k16[] = {0x10db, 0x10d8, 0x10d3, 0x10d1, 0x10dd};
    constexpr std::uint32_t k32[] = {0x10dc, 0x10d9, kNoNumber, kNoNumber, 0x10de};
    const bool unorm = asked.type == ZE_IMAGE_FORMAT_TYPE_UNORM;
    switch (asked.layout) {
        case ZE_IMAGE_FORMAT_LAYOUT_8:
        case ZE_IMAGE_FORMAT_LAYOUT_8_8:
        case ZE_IMAGE_FORMAT_LAYOUT_8_8_8:
        case ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8:
            return k8[asked.type];
        case ZE_IMAGE_FORMAT_LAYOUT_16:
        case ZE_IMAGE_FORMAT_LAYOUT_16_16:
        case ZE_IMAGE_FORMAT_LAYOUT_16_16_16:
        case ZE_IMAGE_FORMAT_LAYOUT_16_16_16_16:
            return k16[asked.type];
        case ZE_IMAGE_FORMAT_LAYOUT_32:
        case ZE_IMAGE_FORMAT_LAYOUT_32_32:
        case ZE_IMAGE_FORMAT_LAYOUT_32_32_32_32:
            return k32[asked.type];
        case ZE_IMAGE_FORMAT_LAYOUT_5_6_5:
            return unorm ? 0x10d4 : kNoNumber;
        case ZE_IMAGE_FORMAT_LAYOUT_5_5_5_1:
            return unorm ? 0x10d5 : kNoNumber;
        case ZE_IMAGE_FORMAT_LAYOUT_10_10_10_2:
            return unorm ? 0x10e0 : kNoNumber;
        default: {
            const MediaLayout* const known = mediaLayoutOf(asked.layout);
            return known && known->order != 0 ? kUnorm8 : kNoNumber;
        }
    }
}

namespace {

/// The format; no surface if there is none.
ImageFormat formatOf(const ze_image_format_t& asked, bool srgb) noexcept {
    ImageFormat format;
    format.asked = asked;
    if (const MediaLayout* const media = mediaLayoutOf(asked.layout)) {
        if (srgb) return format;
        format.media = true;
        format.planes = media->planes;
        format.surface = zetl::isa::xe::findSurfaceFormat(media->surface);
        format.hostBytes = format.surface->bytes;
        format.selects = kOpaque;
        return format;
    }
    const std::uint32_t swizzle[] = {static_cast<std::uint32_t>(asked.x), static_cast<std::uint32_t>(asked.y),
                                     static_cast<std::uint32_t>(asked.z), static_cast<std::uint32_t>(asked.w)};
    const auto* const layout = std::ranges::find(kLayouts, asked.layout, &Layout::layout);
    const auto type = static_cast<std::uint32_t>(asked.type);
    const bool fits = std::ranges::all_of(swizzle, [](std::uint32_t each) { return each < std::size(kSelects); });
    if (!fits || layout == std::end(kLayouts) || type >= std::size(layout->byType)) return format;
    const bool mayBeSrgb = asked.layout == ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8 && asked.type == ZE_IMAGE_FORMAT_TYPE_UNORM;
    if (srgb && !mayBeSrgb) return format;
    format.surface = zetl::isa::xe::findSurfaceFormat(srgb ? kSrgb : layout->byType[type]);
    format.hostBytes = layout->hostBytes != 0 ? layout->hostBytes : format.surface->bytes;
    for (std::size_t i = 0; i < format.selects.size(); ++i) format.selects[i] = kSelects[swizzle[i]];
    if (format.isWidened()) format.selects[3] = ChannelSelect::one;
    return format;
}

}  // namespace

bool isImageFormat(const ze_image_format_t& asked) noexcept { return formatOf(asked, false).surface != nullptr; }

Result<ImageFormat> readImageFormat(const ze_image_format_t& asked, bool srgb) {
    if (asked.layout == ZE_IMAGE_FORMAT_LAYOUT_32_32_32)
        return refuse(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE,
                      "no images of layout 32_32_32; use 32_32_32_32 with a swizzle of 1 in its place");
    const ImageFormat format = formatOf(asked, srgb);
    return format.surface ? Result<ImageFormat>(format) : Result<ImageFormat>(refuseFormat(asked));
}

}  // namespace zetl::emulator::driver
