#include "element_type.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace zetl::kernels {
namespace {

using Kind = ElementType::Kind;

constexpr ElementType kTypes[] = {
    {"char", Kind::signedInteger, 1},  {"uchar", Kind::unsignedInteger, 1},
    {"short", Kind::signedInteger, 2}, {"ushort", Kind::unsignedInteger, 2},
    {"int", Kind::signedInteger, 4},   {"uint", Kind::unsignedInteger, 4},
    {"long", Kind::signedInteger, 8},  {"ulong", Kind::unsignedInteger, 8},
    {"half", Kind::real, 2},           {"float", Kind::real, 4},
    {"double", Kind::real, 8},
};

struct Layout {
    int mantissaBits;
    int exponentBits;
};
constexpr Layout layoutOf(std::uint32_t bytes) {
    return bytes == 2 ? Layout{10, 5} : bytes == 4 ? Layout{23, 8} : Layout{52, 11};
}

constexpr std::uint64_t maskOf(std::uint32_t bytes) { return bytes == 8 ? UINT64_MAX : (1ull << 8 * bytes) - 1; }

double halfToDouble(std::uint16_t bits) {
    const int exponent = bits >> 10 & 31;
    const int mantissa = bits & 1023;
    double value = exponent == 0    ? std::ldexp(mantissa, -24)
                   : exponent == 31 ? (mantissa != 0 ? NAN : INFINITY)
                                    : std::ldexp(1024 + mantissa, exponent - 25);
    return bits & 0x8000 ? -value : value;
}

/// Nearest, ties to even. From float, so that arithmetic in double is not rounded twice by accident.
std::uint16_t halfFromDouble(double value) {
    const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    value = std::fabs(value);
    if (std::isnan(value)) return sign | 0x7e00;
    if (value >= 65520) return sign | 0x7c00;
    int exponent = 0;
    std::frexp(value, &exponent);
    const int scale = std::max(exponent - 11, -24);
    const double rounded = std::nearbyint(std::ldexp(value, -scale));
    if (rounded < 1024) return sign | static_cast<std::uint16_t>(rounded);
    // A mantissa that rounded up to 2048 carries into the exponent by itself.
    return sign | static_cast<std::uint16_t>((static_cast<int>(rounded) - 1024) + ((scale + 25) << 10));
}

std::vector<std::uint64_t> realEdges(std::uint32_t bytes) {
    const auto [mantissa, exponent] = layoutOf(bytes);
    const std::uint64_t one = ((1ull << (exponent - 1)) - 1) << mantissa;
    const std::uint64_t infinity = ((1ull << exponent) - 1) << mantissa;
    const std::uint64_t unit = 1ull << mantissa;
    const std::uint64_t sign = 1ull << (8 * bytes - 1);
    const std::uint64_t positive[] = {0,
                                      1,           // smallest denormal
                                      unit - 1,    // largest denormal
                                      unit,        // smallest normal
                                      one - unit,  // 0.5
                                      one - 1,     // just below 1
                                      one,
                                      one + 1,
                                      one + unit / 2,                                     // 1.5
                                      one + unit,                                         // 2
                                      one + unit + unit / 4,                              // 2.5
                                      one + static_cast<std::uint64_t>(mantissa) * unit,  // odd and even integers meet
                                      infinity - 1,                                       // largest
                                      infinity,
                                      infinity + unit / 2};  // quiet NaN
    std::vector<std::uint64_t> edges;
    for (const std::uint64_t bits : positive) edges.insert(edges.end(), {bits, bits | sign});
    return edges;
}

std::vector<std::uint64_t> integerEdges(std::uint32_t bytes) {
    const std::uint64_t mask = maskOf(bytes);
    const std::uint64_t high = 1ull << (8 * bytes - 1);
    std::vector<std::uint64_t> edges{0,   1,    2,        3,        7,    10,       127,      128,
                                     255, mask, mask - 1, mask - 6, high, high + 1, high - 1, high >> 1};
    for (std::uint64_t& bits : edges) bits &= mask;
    return edges;
}

/// Position on the number line of representable values.
std::int64_t ordinal(std::uint64_t bits, std::uint32_t bytes) {
    const std::uint64_t sign = 1ull << (8 * bytes - 1);
    return bits & sign ? -static_cast<std::int64_t>(bits & ~sign) : static_cast<std::int64_t>(bits);
}

bool isDenormal(const ElementType& type, std::uint64_t bits) {
    const auto [mantissa, exponent] = layoutOf(type.bytes);
    return (bits >> mantissa & ((1ull << exponent) - 1)) == 0;
}

}  // namespace

const ElementType& ElementType::named(std::string_view name) {
    const auto found = std::ranges::find(kTypes, name, &ElementType::name);
    if (found == std::end(kTypes)) throw std::runtime_error(fmt::format("there is no element type '{}'", name));
    return *found;
}

std::vector<std::uint64_t> ElementType::edges() const {
    return kind == Kind::real ? realEdges(bytes) : integerEdges(bytes);
}

std::uint64_t ElementType::fromNumber(double value) const {
    if (kind != Kind::real) return static_cast<std::uint64_t>(static_cast<std::int64_t>(value)) & maskOf(bytes);
    if (bytes == 2) return halfFromDouble(value);
    if (bytes == 4) return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    return std::bit_cast<std::uint64_t>(value);
}

std::uint64_t ElementType::fromInteger(std::int64_t value) const {
    return kind == Kind::real ? fromNumber(static_cast<double>(value))
                              : static_cast<std::uint64_t>(value) & maskOf(bytes);
}

std::uint64_t ElementType::fromText(const std::string& text) const {
    if (text.starts_with("bits:")) return std::stoull(text.substr(5), nullptr, 16) & maskOf(bytes);
    if (kind == Kind::real) return fromNumber(std::stod(text));
    if (text.starts_with("-")) return static_cast<std::uint64_t>(std::stoll(text, nullptr, 0)) & maskOf(bytes);
    return std::stoull(text, nullptr, 0) & maskOf(bytes);
}

double ElementType::toNumber(std::uint64_t bits) const {
    if (kind == Kind::unsignedInteger) return static_cast<double>(bits);
    if (kind == Kind::signedInteger)
        return static_cast<double>(static_cast<std::int64_t>(bits << (64 - 8 * bytes)) >> (64 - 8 * bytes));
    if (bytes == 2) return halfToDouble(static_cast<std::uint16_t>(bits));
    if (bytes == 4) return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    return std::bit_cast<double>(bits);
}

std::string ElementType::text(std::uint64_t bits) const {
    if (kind == Kind::real) return fmt::format("{} ({:#x})", toNumber(bits), bits);
    if (kind == Kind::unsignedInteger) return fmt::format("{}", bits);
    return fmt::format("{}", static_cast<std::int64_t>(bits << (64 - 8 * bytes)) >> (64 - 8 * bytes));
}

std::uint64_t elementAt(const Bytes& bytes, const ElementType& type, std::size_t index) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &bytes.at(index * type.bytes), type.bytes);
    return bits;
}

void appendElement(Bytes& bytes, const ElementType& type, std::uint64_t bits) {
    const auto* data = reinterpret_cast<const std::uint8_t*>(&bits);
    bytes.insert(bytes.end(), data, data + type.bytes);
}

bool equals(const ElementType& type, std::uint64_t expected, std::uint64_t found, const Tolerance& tolerance) {
    if (expected == found) return true;
    const double a = type.toNumber(expected);
    const double b = type.toNumber(found);
    if (type.kind != Kind::real) return tolerance.absolute > 0 && std::fabs(a - b) <= tolerance.absolute;
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    if (tolerance.flushed && isDenormal(type, expected) && b == 0) return true;
    if (tolerance.ulp == 0 && tolerance.absolute == 0) return false;
    if (std::fabs(a - b) <= tolerance.absolute) return true;
    return std::fabs(static_cast<double>(ordinal(expected, type.bytes) - ordinal(found, type.bytes))) <= tolerance.ulp;
}

}  // namespace zetl::kernels
