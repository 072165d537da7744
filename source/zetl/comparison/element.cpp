#include "comparison/element.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstring>
#include <iterator>

namespace zetl::command {
namespace {

std::uint64_t wordOf(std::span<const std::byte> element) {
    std::uint64_t word = 0;
    std::memcpy(&word, element.data(), std::min(element.size(), sizeof word));
    return word;
}

/// Numbers of that size in their order, zeroes of both signs in one place.
std::int64_t place(std::uint64_t bits, std::size_t bytes) {
    const std::uint64_t sign = 1ull << (bytes * 8 - 1);
    const auto magnitude = static_cast<std::int64_t>(bits & (sign - 1));
    return (bits & sign) != 0 ? -magnitude : magnitude;
}

bool isNan(std::uint64_t bits, std::size_t bytes) {
    return bytes == sizeof(float) ? std::isnan(std::bit_cast<float>(static_cast<std::uint32_t>(bits)))
                                  : std::isnan(std::bit_cast<double>(bits));
}

}  // namespace

Element Element::of(std::string_view pointerType) {
    struct Row {
        std::string_view name;
        Kind kind;
        std::size_t bytes;
    };
    static constexpr Row kRows[] = {{"char", Kind::integer, 1},  {"uchar", Kind::unsignedInteger, 1},
                                    {"short", Kind::integer, 2}, {"ushort", Kind::unsignedInteger, 2},
                                    {"int", Kind::integer, 4},   {"uint", Kind::unsignedInteger, 4},
                                    {"long", Kind::integer, 8},  {"ulong", Kind::unsignedInteger, 8},
                                    {"half", Kind::bits, 2},     {"float", Kind::real, 4},
                                    {"double", Kind::real, 8}};
    // A vector's elements are its numbers.
    std::string_view name = pointerType.substr(0, pointerType.find('*'));
    while (!name.empty() && (std::isdigit(static_cast<unsigned char>(name.back())) != 0 || name.back() == ' '))
        name.remove_suffix(1);
    const Row* const row = std::ranges::find(kRows, name, &Row::name);
    return row == std::end(kRows) ? Element(Kind::bits, sizeof(std::uint32_t)) : Element(row->kind, row->bytes);
}

std::string Element::text(std::span<const std::byte> element) const {
    const std::uint64_t word = wordOf(element.first(std::min(element.size(), bytes_)));
    const std::string bits = fmt::format("{:#0{}x}", word, bytes_ * 2 + 2);
    const auto shift = static_cast<int>(64 - bytes_ * 8);
    switch (kind_) {
        case Kind::integer:
            return fmt::format("{}", static_cast<std::int64_t>(word << shift) >> shift);
        case Kind::unsignedInteger:
            return fmt::format("{}", word);
        case Kind::real:
            if (bytes_ == sizeof(float))
                return fmt::format("{} ({})", std::bit_cast<float>(static_cast<std::uint32_t>(word)), bits);
            return fmt::format("{} ({})", std::bit_cast<double>(word), bits);
        case Kind::bits:
            break;
    }
    return bits;
}

bool Element::alike(std::span<const std::byte> one, std::span<const std::byte> other, std::uint64_t ulps) const {
    const std::uint64_t a = wordOf(one.first(std::min(one.size(), bytes_)));
    const std::uint64_t b = wordOf(other.first(std::min(other.size(), bytes_)));
    if (a == b) return true;
    if (kind_ != Kind::real || ulps == 0) return false;
    if (isNan(a, bytes_) || isNan(b, bytes_)) return isNan(a, bytes_) && isNan(b, bytes_);
    const std::int64_t left = place(a, bytes_);
    const std::int64_t right = place(b, bytes_);
    const std::uint64_t distance = left > right ? static_cast<std::uint64_t>(left) - static_cast<std::uint64_t>(right)
                                                : static_cast<std::uint64_t>(right) - static_cast<std::uint64_t>(left);
    return distance <= ulps;
}

}  // namespace zetl::command
