#include "isa/xe/texel.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>

namespace zetl::isa::xe {
namespace {

using Channel = SurfaceFormat::Channel;

constexpr std::uint32_t kFloatOne = 0x3f800000;
constexpr std::size_t kAlpha = 3;

constexpr std::uint64_t maskOf(unsigned bits) noexcept { return (std::uint64_t{1} << bits) - 1; }

/// A texel as a number of up to 128 bits.
struct TexelWord {
    std::uint64_t halves[2] = {};

    std::uint32_t at(const Channel& c) const noexcept {
        return static_cast<std::uint32_t>(halves[c.shift / 64] >> c.shift % 64 & maskOf(c.bits));
    }
    void put(const Channel& c, std::uint32_t value) noexcept {
        halves[c.shift / 64] |= (value & maskOf(c.bits)) << c.shift % 64;
    }
};

/// Floats of five bits of exponent, with or without sign.
constexpr int kSmallBias = 15;
constexpr std::uint32_t kSmallExponents = 31;

unsigned mantissaBits(unsigned bits) noexcept { return bits == 16 ? 10 : bits - 5; }

float fromSmall(std::uint32_t value, unsigned bits) noexcept {
    const unsigned mantissa = mantissaBits(bits);
    const std::uint32_t fraction = value & maskOf(mantissa);
    const std::uint32_t exponent = value >> mantissa & kSmallExponents;
    const std::uint32_t sign = bits == 16 ? (value & 0x8000) << 16 : 0;
    if (exponent == kSmallExponents) return std::bit_cast<float>(sign | 0x7f800000 | fraction << (23 - mantissa));
    if (exponent != 0) {
        const std::uint32_t wide = exponent + 127 - kSmallBias;
        return std::bit_cast<float>(sign | wide << 23 | fraction << (23 - mantissa));
    }
    if (fraction == 0) return std::bit_cast<float>(sign);
    const int top = static_cast<int>(std::bit_width(fraction)) - 1;  // the denormal is a normal float
    const std::uint32_t wide = static_cast<std::uint32_t>(127 - kSmallBias + 1 + top - static_cast<int>(mantissa));
    const std::uint32_t rest = fraction << (23 - top) & static_cast<std::uint32_t>(maskOf(23));
    return std::bit_cast<float>(sign | wide << 23 | rest);
}

/// Works on bits, since the thread's floating-point mode must not matter.
std::uint32_t toSmall(std::uint32_t bitsOfFloat, unsigned bits) noexcept {
    const unsigned mantissa = mantissaBits(bits);
    const bool hasSign = bits == 16;
    const bool negative = bitsOfFloat >> 31 != 0;
    const std::uint32_t sign = hasSign && negative ? 0x8000 : 0;
    const std::uint32_t infinite = kSmallExponents << mantissa;
    const std::uint32_t magnitude = bitsOfFloat & 0x7fffffff;
    if (magnitude > 0x7f800000) return sign | infinite | 1u << (mantissa - 1);
    if (negative && !hasSign) return 0;
    if (magnitude == 0x7f800000) return sign | infinite;
    const int exponent = static_cast<int>(magnitude >> 23) - 127 + kSmallBias;
    const std::uint64_t full = (magnitude & maskOf(23)) | (magnitude >> 23 != 0 ? 1u << 23 : 0u);
    const int drop = 23 - static_cast<int>(mantissa) + (exponent <= 0 ? 1 - exponent : 0);
    if (drop > 40) return sign;
    std::uint64_t kept = full >> drop;
    const std::uint64_t rest = full & maskOf(static_cast<unsigned>(drop));
    const std::uint64_t half = std::uint64_t{1} << (drop - 1);
    if (rest > half || (rest == half && (kept & 1) != 0)) ++kept;
    // The leading one of a normal number counts for the exponent.
    const std::uint64_t result = exponent <= 0 ? kept : kept + (static_cast<std::uint64_t>(exponent - 1) << mantissa);
    if (result < infinite) return sign | static_cast<std::uint32_t>(result);
    return sign | (hasSign ? infinite : infinite - 1);
}

constexpr std::uint32_t bitsOf(double value) noexcept {
    return std::bit_cast<std::uint32_t>(static_cast<float>(value));
}

double linearOf(double coded) noexcept {
    return coded <= 0.04045 ? coded / 12.92 : std::pow((coded + 0.055) / 1.055, 2.4);
}
double codedOf(double linear) noexcept {
    return linear <= 0.0031308 ? linear * 12.92 : 1.055 * std::pow(linear, 1 / 2.4) - 0.055;
}

constexpr std::int32_t signExtended(std::uint32_t value, unsigned bits) noexcept {
    return static_cast<std::int32_t>(value << (32 - bits)) >> (32 - bits);
}

/// Channels of eight bits with this meaning, by their code.
template <TexelKind kind>
constexpr std::array<std::uint32_t, 256> kByteValues = [] {
    constexpr unsigned kBits = 8;
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t code = 0; code < table.size(); ++code)
        table[code] = kind == TexelKind::snorm
                          ? bitsOf(std::max(signExtended(code, kBits) / static_cast<double>(maskOf(kBits - 1)), -1.0))
                          : bitsOf(code / static_cast<double>(maskOf(kBits)));
    return table;
}();

std::uint32_t readChannel(TexelKind kind, std::uint32_t value, unsigned bits, std::size_t channel) noexcept {
    switch (kind) {
        case TexelKind::unorm:
            return bitsOf(value / static_cast<double>(maskOf(bits)));
        case TexelKind::srgb: {
            const double coded = value / static_cast<double>(maskOf(bits));
            return bitsOf(channel == kAlpha ? coded : linearOf(coded));
        }
        case TexelKind::snorm:
            return bitsOf(std::max(signExtended(value, bits) / static_cast<double>(maskOf(bits - 1)), -1.0));
        case TexelKind::signedInt:
            return static_cast<std::uint32_t>(signExtended(value, bits));
        case TexelKind::real:
            return bits == 32 ? value : std::bit_cast<std::uint32_t>(fromSmall(value, bits));
        default:
            return value;
    }
}

template <unsigned bits>
using Code = std::conditional_t<bits == 8, std::uint8_t, std::conditional_t<bits == 16, std::uint16_t, std::uint32_t>>;

/// Red lowest, no gaps.
template <TexelKind kind, unsigned bits, std::size_t count>
TexelBits readEven(const SurfaceFormat& format, const std::byte* from) noexcept {
    std::array<Code<bits>, count> codes;
    std::memcpy(codes.data(), from, sizeof codes);
    TexelBits texel{0, 0, 0, oneOf(format)};
    for (std::size_t i = 0; i < count; ++i) {
        if constexpr (bits == 8 && (kind == TexelKind::unorm || kind == TexelKind::snorm))
            texel[i] = kByteValues<kind>[codes[i]];
        else
            texel[i] = readChannel(kind, codes[i], bits, i);
    }
    return texel;
}

template <TexelKind kind, unsigned bits>
TexelReader evenReader(std::size_t count) noexcept {
    constexpr TexelReader kByCount[] = {readEven<kind, bits, 1>, readEven<kind, bits, 2>, readEven<kind, bits, 3>,
                                        readEven<kind, bits, 4>};
    return kByCount[count - 1];
}

template <TexelKind kind>
TexelReader evenReader(unsigned bits, std::size_t count) noexcept {
    switch (bits) {
        case 8:
            return evenReader<kind, 8>(count);
        case 16:
            return evenReader<kind, 16>(count);
        case 32:
            return evenReader<kind, 32>(count);
        default:
            return nullptr;
    }
}

/// How many channels there are, all alike and in order; 0 if they are not.
std::size_t evenChannels(const SurfaceFormat& format) noexcept {
    const unsigned bits = format.channels[0].bits;
    std::size_t count = 0;
    while (count < format.channels.size() && format.channels[count].bits != 0) ++count;
    for (std::size_t i = 0; i < count; ++i)
        if (format.channels[i].bits != bits || format.channels[i].shift != i * bits) return 0;
    return count * bits == format.bytes * 8u ? count : 0;
}

/// To the nearest whole number, to the even one of two.
std::int64_t nearest(double value) noexcept {
    const double below = std::floor(value);
    const double rest = value - below;
    const auto whole = static_cast<std::int64_t>(below);
    return whole + (rest > 0.5 || (rest == 0.5 && (whole & 1) != 0) ? 1 : 0);
}

std::uint32_t writeChannel(TexelKind kind, std::uint32_t given, unsigned bits, std::size_t channel) noexcept {
    const auto real = static_cast<double>(std::bit_cast<float>(given));
    switch (kind) {
        case TexelKind::unorm:
        case TexelKind::srgb: {
            if (!(real > 0)) return 0;
            const double linear = std::min(real, 1.0);
            const double coded = kind == TexelKind::srgb && channel != kAlpha ? codedOf(linear) : linear;
            return static_cast<std::uint32_t>(nearest(coded * static_cast<double>(maskOf(bits))));
        }
        case TexelKind::snorm: {
            if (std::isnan(real)) return 0;
            const double most = static_cast<double>(maskOf(bits - 1));
            return static_cast<std::uint32_t>(nearest(std::clamp(real, -1.0, 1.0) * most));
        }
        case TexelKind::unsignedInt:
            return static_cast<std::uint32_t>(std::min<std::uint64_t>(given, maskOf(bits)));
        case TexelKind::signedInt: {
            const auto most = static_cast<std::int64_t>(maskOf(bits - 1));
            return static_cast<std::uint32_t>(
                std::clamp<std::int64_t>(static_cast<std::int32_t>(given), -most - 1, most));
        }
        case TexelKind::real:
            return bits == 32 ? given : toSmall(given, bits);
        default:
            return given;
    }
}

}  // namespace

std::uint32_t oneOf(const SurfaceFormat& format) noexcept { return format.isInteger() ? 1 : kFloatOne; }

TexelBits readTexel(const SurfaceFormat& format, const std::byte* from) noexcept {
    TexelBits texel{0, 0, 0, oneOf(format)};
    TexelWord word;
    std::memcpy(word.halves, from, format.bytes);
    if (format.kind == TexelKind::planar) {
        texel[0] = static_cast<std::uint32_t>(word.halves[0]);
        return texel;
    }
    for (std::size_t i = 0; i < texel.size(); ++i) {
        const Channel& c = format.channels[i];
        if (c.bits != 0) texel[i] = readChannel(format.kind, word.at(c), c.bits, i);
    }
    return texel;
}

TexelReader readerOf(const SurfaceFormat& format) noexcept {
    const std::size_t count = evenChannels(format);
    if (count == 0) return readTexel;
    const unsigned bits = format.channels[0].bits;
    TexelReader found = nullptr;
    switch (format.kind) {
        case TexelKind::unorm:
            found = evenReader<TexelKind::unorm>(bits, count);
            break;
        case TexelKind::snorm:
            found = evenReader<TexelKind::snorm>(bits, count);
            break;
        case TexelKind::unsignedInt:
            found = evenReader<TexelKind::unsignedInt>(bits, count);
            break;
        case TexelKind::signedInt:
            found = evenReader<TexelKind::signedInt>(bits, count);
            break;
        case TexelKind::real:
            found = bits == 8 ? nullptr : evenReader<TexelKind::real>(bits, count);
            break;
        default:
            break;
    }
    return found ? found : readTexel;
}

void writeTexel(const SurfaceFormat& format, const TexelBits& texel, std::byte* to) noexcept {
    TexelWord word;
    if (format.kind == TexelKind::planar) word.halves[0] = texel[0];
    for (std::size_t i = 0; i < texel.size(); ++i) {
        const Channel& c = format.channels[i];
        if (c.bits != 0) word.put(c, writeChannel(format.kind, texel[i], c.bits, i));
    }
    std::memcpy(to, word.halves, format.bytes);
}

bool selectsAll(const std::array<ChannelSelect, 4>& select) noexcept {
    using enum ChannelSelect;
    return select == std::array{red, green, blue, alpha};
}

TexelBits selected(const std::array<ChannelSelect, 4>& select, const SurfaceFormat& format,
                   const TexelBits& inMemory) noexcept {
    TexelBits texel;
    for (std::size_t i = 0; i < texel.size(); ++i) {
        const auto channel = channelOf(select[i]);
        texel[i] = channel ? inMemory[*channel] : select[i] == ChannelSelect::one ? oneOf(format) : 0;
    }
    return texel;
}

float halfToFloat(std::uint32_t half) noexcept { return fromSmall(half, 16); }
std::uint32_t floatToHalf(float value) noexcept { return toSmall(std::bit_cast<std::uint32_t>(value), 16); }

}  // namespace zetl::isa::xe
