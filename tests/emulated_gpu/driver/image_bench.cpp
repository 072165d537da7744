#include "image_bench.h"

#include <cmath>
#include <cstring>

namespace zetl::test::images {

std::string nameOf(ze_image_type_t type) {
    constexpr const char* kNames[] = {"1d", "1da", "2d", "2da", "3d", "buffer"};
    return kNames[type];
}

ze_image_handle_t Images::make(const ReferenceImage& image) const {
    ze_image_desc_t description{};
    description.stype = ZE_STRUCTURE_TYPE_IMAGE_DESC;
    description.type = image.type;
    const auto& bits = image.format->bits;
    description.format = {image.format->layout,
                          image.format->type,
                          ZE_IMAGE_FORMAT_SWIZZLE_R,
                          bits[1] ? ZE_IMAGE_FORMAT_SWIZZLE_G : ZE_IMAGE_FORMAT_SWIZZLE_0,
                          bits[2] ? ZE_IMAGE_FORMAT_SWIZZLE_B : ZE_IMAGE_FORMAT_SWIZZLE_0,
                          bits[3] ? ZE_IMAGE_FORMAT_SWIZZLE_A : ZE_IMAGE_FORMAT_SWIZZLE_1};
    description.width = static_cast<std::uint64_t>(image.sizes[0]);
    description.height = static_cast<std::uint32_t>(image.sizes[1]);
    description.depth = description.arraylevels = static_cast<std::uint32_t>(image.sizes[2]);
    ze_image_handle_t made = nullptr;
    EXPECT_OK(zeImageCreate(gpu.context(), gpu.device(), &description, &made));
    EXPECT_OK(zeCommandListAppendImageCopyFromMemory(list_, made, image.bytes.data(), nullptr, nullptr, 0, nullptr));
    return made;
}
ze_sampler_handle_t Images::make(const ze_sampler_desc_t& description) const {
    ze_sampler_handle_t made = nullptr;
    EXPECT_OK(zeSamplerCreate(gpu.context(), gpu.device(), &description, &made));
    return made;
}

ReferenceImage imageOf(const ReferenceFormat& format, ze_image_type_t type) {
    ReferenceImage image{&format, type, {kWidth, 1, 1}, {}};
    if (image.dimensions() > 1) image.sizes[1] = kHeight;
    if (image.isArray() || type == ZE_IMAGE_TYPE_3D) image.sizes[2] = kDepth;
    const int texels = image.sizes[0] * image.sizes[1] * image.sizes[2];
    image.bytes.resize(static_cast<std::size_t>(texels) * format.bytes);
    std::uint32_t state = 12345;
    for (std::uint8_t& byte : image.bytes)
        byte = static_cast<std::uint8_t>((state = state * 1664525 + 1013904223) >> 24);
    if (format.type != ZE_IMAGE_FORMAT_TYPE_FLOAT) return image;
    // Floats that are neither huge nor NaN.
    for (int i = 0; i < texels; ++i) {
        const double v = i * 0.75 - 9;
        format.encode({v, v * 3, -v, v + 0.5}, &image.bytes[static_cast<std::size_t>(i) * format.bytes]);
    }
    return image;
}

const ReferenceFormat& formatOf(ze_image_format_layout_t layout, ze_image_format_type_t type) {
    return *std::ranges::find_if(referenceFormats(), [&](const ReferenceFormat& format) {
        return format.layout == layout && format.type == type;
    });
}

std::vector<Place> placesFor(const ReferenceImage& image, bool normalized) {
    constexpr float kFractions[] = {0.5f, 0.3f, 0.7f, 0.9f};
    std::vector<Place> places(kItems);
    std::uint32_t state = 7;
    for (Place& place : places) {
        const unsigned count = image.dimensions();
        for (unsigned d = 0; d < 4; ++d) {
            state = state * 1664525 + 1013904223;
            const int size = d < count ? image.sizes[d] : image.sizes[2];
            const int whole = static_cast<int>((state >> 16) % static_cast<unsigned>(size + 4)) - 2;
            place[d] = static_cast<float>(whole);
            if (d < count) place[d] += kFractions[state >> 8 & 3];
            if (d < count && normalized) place[d] /= static_cast<float>(size);
        }
    }
    return places;
}

std::vector<Place> wholePlacesFor(const ReferenceImage& image) {
    std::vector<Place> places = placesFor(image, false);
    for (Place& place : places)
        for (unsigned d = 0; d < 4; ++d) {
            const int size = d < image.dimensions() ? image.sizes[d] : image.sizes[2];
            place[d] = std::min(std::max(std::floor(place[d]), 0.0f), static_cast<float>(size - 1));
        }
    return places;
}

double valueOf(const ReferenceFormat& format, std::uint32_t bits) {
    if (format.type == ZE_IMAGE_FORMAT_TYPE_UINT) return bits;
    if (format.type == ZE_IMAGE_FORMAT_TYPE_SINT) return static_cast<std::int32_t>(bits);
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return static_cast<double>(value);
}

namespace {

/// How far a value may be from the reference: the rounding of a float, and of coordinates where texels are mixed.
double allowed(const ReferenceImage& image, double expected, bool linear) {
    if (image.format->isInteger()) return 0;
    const double step = std::fabs(expected) * 1.2e-7;
    return linear ? step + 5e-5 * (image.format->type == ZE_IMAGE_FORMAT_TYPE_FLOAT ? 40 : 1) : step;
}

}  // namespace

void expectValues(const Images& images, const ReferenceImage& image, std::uint32_t item, const Values& expected,
                  bool linear, const std::string& what) {
    for (unsigned c = 0; c < 4; ++c) {
        const double value = valueOf(*image.format, images.values()[item][c]);
        if (std::fabs(value - expected[c]) <= allowed(image, expected[c], linear)) continue;
        FAIL() << what << ", item " << item << ", channel " << c << ": " << value << ", expected " << expected[c];
    }
}

}  // namespace zetl::test::images
