#include "image_reference.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace zetl::test {
namespace {

using Values = std::array<double, 4>;

std::uint64_t bitsAt(const std::uint8_t* texel, unsigned bytes, unsigned shift, unsigned bits) {
    std::uint64_t value = 0;
    for (unsigned b = 0; b < bits; ++b) {
        const unsigned at = shift + b;
        if (at / 8 < bytes && (texel[at / 8] >> at % 8 & 1) != 0) value |= std::uint64_t{1} << b;
    }
    return value;
}
void putBits(std::uint8_t* texel, unsigned shift, unsigned bits, std::uint64_t value) {
    for (unsigned b = 0; b < bits; ++b) {
        const unsigned at = shift + b;
        const auto bit = static_cast<std::uint8_t>(1u << at % 8);
        texel[at / 8] = static_cast<std::uint8_t>((value >> b & 1) != 0 ? texel[at / 8] | bit : texel[at / 8] & ~bit);
    }
}

double most(unsigned bits) { return std::ldexp(1.0, static_cast<int>(bits)) - 1; }

double fromFloatBits(std::uint64_t value, unsigned bits) {
    if (bits == 32) {
        float real;
        const auto narrow = static_cast<std::uint32_t>(value);
        std::memcpy(&real, &narrow, sizeof real);
        return static_cast<double>(real);
    }
    const int mantissa = 10;
    const double sign = (value >> 15 & 1) != 0 ? -1 : 1;
    const int exponent = static_cast<int>(value >> mantissa & 31);
    const auto fraction = static_cast<double>(value & 1023) / 1024;
    if (exponent == 0) return sign * std::ldexp(fraction, -14);
    return sign * std::ldexp(1 + fraction, exponent - 15);
}

std::uint64_t toFloatBits(double value, unsigned bits) {
    if (bits == 32) {
        const auto real = static_cast<float>(value);
        std::uint32_t narrow;
        std::memcpy(&narrow, &real, sizeof narrow);
        return narrow;
    }
    // In units of the last place, of which there are at least 2^-24.
    const double magnitude = std::fabs(value);
    const int exponent = magnitude < std::ldexp(1.0, -14) ? -14 : std::ilogb(magnitude);
    const auto units = static_cast<std::uint64_t>(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
    const std::uint64_t half =
        std::min<std::uint64_t>(units + (static_cast<std::uint64_t>(exponent + 14) << 10), 0x7c00);
    return half | (std::signbit(value) ? 0x8000u : 0u);
}

ReferenceFormat even(ze_image_format_layout_t layout, ze_image_format_type_t type, unsigned channels, unsigned bits) {
    ReferenceFormat format{layout, type, channels * bits / 8};
    for (unsigned c = 0; c < channels; ++c) {
        format.shifts[c] = c * bits;
        format.bits[c] = bits;
    }
    return format;
}

/// Texels before and behind a coordinate in texels.
struct Pair {
    int first;
    int second;
    double share;  // of the second one
};

int around(ze_sampler_address_mode_t mode, int texel, int size) {
    switch (mode) {
        case ZE_SAMPLER_ADDRESS_MODE_REPEAT:
            return ((texel % size) + size) % size;
        case ZE_SAMPLER_ADDRESS_MODE_CLAMP:
        case ZE_SAMPLER_ADDRESS_MODE_MIRROR:
            return std::clamp(texel, 0, size - 1);
        default:
            return texel;
    }
}

Pair pairOf(const ze_sampler_desc_t& sampler, double coordinate, int size) {
    double u = sampler.isNormalized ? coordinate * size : coordinate;
    if (sampler.addressMode == ZE_SAMPLER_ADDRESS_MODE_REPEAT) u = (coordinate - std::floor(coordinate)) * size;
    if (sampler.addressMode == ZE_SAMPLER_ADDRESS_MODE_MIRROR)
        u = std::fabs(coordinate - 2 * std::nearbyint(0.5 * coordinate)) * size;
    if (sampler.filterMode == ZE_SAMPLER_FILTER_MODE_NEAREST) {
        const int texel = around(sampler.addressMode, static_cast<int>(std::floor(u)), size);
        return {texel, texel, 0};
    }
    const double below = std::floor(u - 0.5);
    const int texel = static_cast<int>(below);
    return {around(sampler.addressMode, texel, size), around(sampler.addressMode, texel + 1, size), u - 0.5 - below};
}

}  // namespace

double ReferenceFormat::decode(const std::uint8_t* texel, unsigned channel) const {
    const unsigned count = bits[channel];
    if (count == 0) return channel == 3 ? 1 : 0;
    const std::uint64_t raw = bitsAt(texel, bytes, shifts[channel], count);
    const double plain = static_cast<double>(raw);
    const double with = (raw >> (count - 1) & 1) != 0 ? plain - most(count) - 1 : plain;
    switch (type) {
        case ZE_IMAGE_FORMAT_TYPE_UINT:
            return plain;
        case ZE_IMAGE_FORMAT_TYPE_SINT:
            return with;
        case ZE_IMAGE_FORMAT_TYPE_UNORM:
            return plain / most(count);
        case ZE_IMAGE_FORMAT_TYPE_SNORM:
            return std::max(with / most(count - 1), -1.0);
        default:
            return fromFloatBits(raw, count);
    }
}

void ReferenceFormat::encode(const Values& values, std::uint8_t* texel) const {
    std::memset(texel, 0, bytes);
    for (unsigned c = 0; c < 4; ++c) {
        const unsigned count = bits[c];
        if (count == 0) continue;
        const double v = values[c];
        double whole = 0;
        switch (type) {
            case ZE_IMAGE_FORMAT_TYPE_UINT:
                whole = std::clamp(v, 0.0, most(count));
                break;
            case ZE_IMAGE_FORMAT_TYPE_SINT:
                whole = std::clamp(v, -most(count - 1) - 1, most(count - 1));
                break;
            case ZE_IMAGE_FORMAT_TYPE_UNORM:
                whole = std::nearbyint(std::clamp(v, 0.0, 1.0) * most(count));
                break;
            case ZE_IMAGE_FORMAT_TYPE_SNORM:
                whole = std::nearbyint(std::clamp(v, -1.0, 1.0) * most(count - 1));
                break;
            default:
                putBits(texel, shifts[c], count, toFloatBits(v, count));
                continue;
        }
        putBits(texel, shifts[c], count, static_cast<std::uint64_t>(static_cast<std::int64_t>(whole)));
    }
}

const std::vector<ReferenceFormat>& referenceFormats() {
    static const auto* const all = [] {
        auto* formats = new std::vector<ReferenceFormat>;
        struct Layout {
            ze_image_format_layout_t layout;
            unsigned channels;
            unsigned bits;
        };
        constexpr Layout kLayouts[] = {
            {ZE_IMAGE_FORMAT_LAYOUT_8, 1, 8},           {ZE_IMAGE_FORMAT_LAYOUT_16, 1, 16},
            {ZE_IMAGE_FORMAT_LAYOUT_32, 1, 32},         {ZE_IMAGE_FORMAT_LAYOUT_8_8, 2, 8},
            {ZE_IMAGE_FORMAT_LAYOUT_16_16, 2, 16},      {ZE_IMAGE_FORMAT_LAYOUT_32_32, 2, 32},
            {ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8, 4, 8},     {ZE_IMAGE_FORMAT_LAYOUT_16_16_16_16, 4, 16},
            {ZE_IMAGE_FORMAT_LAYOUT_32_32_32_32, 4, 32}};
        for (const Layout& each : kLayouts)
            for (const auto type : {ZE_IMAGE_FORMAT_TYPE_UINT, ZE_IMAGE_FORMAT_TYPE_SINT, ZE_IMAGE_FORMAT_TYPE_UNORM,
                                    ZE_IMAGE_FORMAT_TYPE_SNORM, ZE_IMAGE_FORMAT_TYPE_FLOAT}) {
                const bool real = type == ZE_IMAGE_FORMAT_TYPE_FLOAT;
                const bool norm = type == ZE_IMAGE_FORMAT_TYPE_UNORM || type == ZE_IMAGE_FORMAT_TYPE_SNORM;
                if ((real && each.bits == 8) || (norm && each.bits == 32)) continue;
                formats->push_back(even(each.layout, type, each.channels, each.bits));
            }
        formats->push_back(
            {ZE_IMAGE_FORMAT_LAYOUT_10_10_10_2, ZE_IMAGE_FORMAT_TYPE_UNORM, 4, {0, 10, 20, 30}, {10, 10, 10, 2}});
        formats->push_back({ZE_IMAGE_FORMAT_LAYOUT_5_6_5, ZE_IMAGE_FORMAT_TYPE_UNORM, 2, {11, 5, 0, 0}, {5, 6, 5, 0}});
        formats->push_back(
            {ZE_IMAGE_FORMAT_LAYOUT_5_5_5_1, ZE_IMAGE_FORMAT_TYPE_UNORM, 2, {10, 5, 0, 15}, {5, 5, 5, 1}});
        return formats;
    }();
    return *all;
}

unsigned ReferenceImage::dimensions() const {
    if (type == ZE_IMAGE_TYPE_3D) return 3;
    return type == ZE_IMAGE_TYPE_2D || type == ZE_IMAGE_TYPE_2DARRAY ? 2 : 1;
}

std::uint8_t* ReferenceImage::at(int x, int y, int z) {
    const int index = (z * sizes[1] + y) * sizes[0] + x;
    return &bytes[static_cast<std::size_t>(index) * format->bytes];
}

Values ReferenceImage::texel(int x, int y, int z) {
    Values values{};
    const bool inside = x >= 0 && x < sizes[0] && y >= 0 && y < sizes[1] && z >= 0 && z < sizes[2];
    if (!inside) values[3] = format->bits[3] == 0 ? 1 : 0;
    for (unsigned c = 0; inside && c < 4; ++c) values[c] = format->decode(at(x, y, z), c);
    return values;
}

Values ReferenceImage::load(const std::array<float, 4>& place) {
    std::array<int, 3> where{};
    const unsigned count = dimensions();
    for (unsigned d = 0; d < count; ++d) where[d] = static_cast<int>(std::floor(place[d]));
    if (isArray()) where[2] = static_cast<int>(std::floor(place[count]));
    return texel(where[0], where[1], where[2]);
}

Values ReferenceImage::sample(const ze_sampler_desc_t& sampler, const std::array<float, 4>& place) {
    const unsigned count = dimensions();
    std::array<Pair, 3> pairs{Pair{0, 0, 0}, Pair{0, 0, 0}, Pair{0, 0, 0}};
    for (unsigned d = 0; d < count; ++d) pairs[d] = pairOf(sampler, static_cast<double>(place[d]), sizes[d]);
    int layer = 0;
    if (isArray()) layer = std::clamp(static_cast<int>(std::nearbyint(place[count])), 0, sizes[2] - 1);
    Values sum{};
    for (unsigned corner = 0; corner < 8; ++corner) {
        double share = 1;
        std::array<int, 3> where{};
        for (unsigned d = 0; d < 3; ++d) {
            const bool second = (corner >> d & 1) != 0;
            share *= second ? pairs[d].share : 1 - pairs[d].share;
            where[d] = second ? pairs[d].second : pairs[d].first;
        }
        if (share == 0) continue;
        const Values values = texel(where[0], where[1], isArray() ? layer : where[2]);
        for (unsigned c = 0; c < 4; ++c) sum[c] += share * values[c];
    }
    return sum;
}

}  // namespace zetl::test
