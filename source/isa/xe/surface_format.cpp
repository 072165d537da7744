#include "isa/xe/surface_format.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace zetl::isa::xe {
namespace {

using Channels = std::array<SurfaceFormat::Channel, 4>;
using enum TexelKind;

/// So many channels of so many bits, red lowest.
constexpr Channels even(std::uint8_t count, std::uint8_t bits) {
    Channels channels{};
    for (std::uint8_t i = 0; i < count; ++i) channels[i] = {static_cast<std::uint8_t>(i * bits), bits};
    return channels;
}

constexpr Channels kTenTenTenTwo{{{0, 10}, {10, 10}, {20, 10}, {30, 2}}};

// Ascending.
constexpr SurfaceFormat kFormats[] = {
    {0x000, 16, real, even(4, 32)},
    {0x001, 16, signedInt, even(4, 32)},
    {0x002, 16, unsignedInt, even(4, 32)},
    {0x003, 16, unorm, even(4, 32)},
    {0x004, 16, snorm, even(4, 32)},
    {0x080, 8, unorm, even(4, 16)},
    {0x081, 8, snorm, even(4, 16)},
    {0x082, 8, signedInt, even(4, 16)},
    {0x083, 8, unsignedInt, even(4, 16)},
    {0x084, 8, real, even(4, 16)},
    {0x085, 8, real, even(2, 32)},
    {0x086, 8, signedInt, even(2, 32)},
    {0x087, 8, unsignedInt, even(2, 32)},
    {0x08b, 8, unorm, even(2, 32)},
    {0x08c, 8, snorm, even(2, 32)},
    {0x0c2, 4, unorm, kTenTenTenTwo},
    {0x0c4, 4, unsignedInt, kTenTenTenTwo},
    {0x0c7, 4, unorm, even(4, 8)},
    {0x0c8, 4, srgb, even(4, 8)},
    {0x0c9, 4, snorm, even(4, 8)},
    {0x0ca, 4, signedInt, even(4, 8)},
    {0x0cb, 4, unsignedInt, even(4, 8)},
    {0x0cc, 4, unorm, even(2, 16)},
    {0x0cd, 4, snorm, even(2, 16)},
    {0x0ce, 4, signedInt, even(2, 16)},
    {0x0cf, 4, unsignedInt, even(2, 16)},
    {0x0d0, 4, real, even(2, 16)},
    {0x0d3, 4, real, {{{0, 11}, {11, 11}, {22, 10}}}},
    {0x0d6, 4, signedInt, even(1, 32)},
    {0x0d7, 4, unsignedInt, even(1, 32)},
    {0x0d8, 4, real, even(1, 32)},
    {0x0f1, 4, unorm, even(1, 32)},
    {0x0f2, 4, snorm, even(1, 32)},
    {0x100, 2, unorm, {{{11, 5}, {5, 6}, {0, 5}}}},
    {0x102, 2, unorm, {{{10, 5}, {5, 5}, {0, 5}, {15, 1}}}},
    {0x104, 2, unorm, {{{8, 4}, {4, 4}, {0, 4}, {12, 4}}}},
    {0x106, 2, unorm, even(2, 8)},
    {0x107, 2, snorm, even(2, 8)},
    {0x108, 2, signedInt, even(2, 8)},
    {0x109, 2, unsignedInt, even(2, 8)},
    {0x10a, 2, unorm, even(1, 16)},
    {0x10b, 2, snorm, even(1, 16)},
    {0x10c, 2, signedInt, even(1, 16)},
    {0x10d, 2, unsignedInt, even(1, 16)},
    {0x10e, 2, real, even(1, 16)},
    {0x140, 1, unorm, even(1, 8)},
    {0x141, 1, snorm, even(1, 8)},
    {0x142, 1, signedInt, even(1, 8)},
    {0x143, 1, unsignedInt, even(1, 8)},
    {0x150, 1, unorm, even(1, 8)},  // Y8
    {0x182, 2, planar, {}},         // YUYV
    {0x183, 2, planar, {}},         // VYUY
    {0x18f, 2, planar, {}},         // YVYU
    {0x190, 2, planar, {}},         // UYVY
    {0x1a5, 1, planar, {}},         // 4:2:0 of 8 bits
    {0x1a6, 2, planar, {}},         // 4:2:0 of 16 bits
    {0x1b3, 4, snorm, kTenTenTenTwo},
    {0x1b6, 4, signedInt, kTenTenTenTwo},
};
static_assert(std::ranges::is_sorted(kFormats, {}, &SurfaceFormat::number));

}  // namespace

const SurfaceFormat* findSurfaceFormat(std::uint32_t number) noexcept {
    const auto* const found = std::ranges::lower_bound(kFormats, number, {}, &SurfaceFormat::number);
    return found != std::end(kFormats) && found->number == number ? found : nullptr;
}

std::string nameOf(const SurfaceFormat& format) {
    constexpr std::array<const char*, 7> kKinds{"UNORM", "SNORM", "UINT", "SINT", "FLOAT", "SRGB", "YUV"};
    constexpr std::array<char, 4> kLetters{'R', 'G', 'B', 'A'};
    std::array<std::size_t, 4> order{0, 1, 2, 3};
    std::ranges::stable_sort(order, {}, [&](std::size_t channel) { return format.channels[channel].shift; });
    std::string name;
    for (const std::size_t channel : order)
        if (const std::uint8_t bits = format.channels[channel].bits; bits != 0)
            name += kLetters[channel] + std::to_string(bits);
    if (!name.empty()) name += ' ';
    return name + kKinds[static_cast<std::size_t>(format.kind)];
}

}  // namespace zetl::isa::xe
