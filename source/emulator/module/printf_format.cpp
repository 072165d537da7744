#include "emulator/module/printf_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>

namespace zetl::emulator::module {
namespace {

constexpr std::size_t kMaxWidth = 4096;
constexpr std::size_t kLongest = 2 * kMaxWidth;  ///< of one value: a precision of 4096, and the digits of the largest

/// Reads a format from left to right.
class Cursor {
  public:
    Cursor(std::string_view format, std::size_t at) : format_(format), at_(at) {}

    std::string_view take(std::string_view allowed) {
        const std::size_t begin = at_;
        while (!atEnd() && allowed.find(format_[at_]) != std::string_view::npos) ++at_;
        return format_.substr(begin, at_ - begin);
    }
    bool takeOne(char wanted) {
        const bool there = !atEnd() && format_[at_] == wanted;
        at_ += there;
        return there;
    }
    char next() { return format_[at_++]; }
    bool atEnd() const { return at_ >= format_.size(); }
    std::size_t at() const { return at_; }

  private:
    std::string_view format_;
    std::size_t at_;
};

constexpr std::string_view kDigits = "0123456789";

/// 0 for none; nothing if the number is larger than any reader wants.
std::optional<std::size_t> sane(std::string_view digits) {
    std::size_t value = 0;
    if (digits.empty()) return value;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return read.ec == std::errc() && value <= kMaxWidth ? std::optional(value) : std::nullopt;
}

/// OpenCL C has hh, h, hl (of vectors) and l; z, t, j and ll are C's for what has 64 bits here.
std::uint32_t integerBytes(std::string_view length) {
    if (length == "hh") return 1;
    if (length == "h") return 2;
    return length.empty() || length == "hl" ? 4 : 8;
}

template <class T>
std::string formatted(const std::string& specification, T value) {
    std::array<char, kLongest> text;
    const int length = std::snprintf(text.data(), text.size(), specification.c_str(), value);
    return {text.data(), static_cast<std::size_t>(std::clamp<int>(length, 0, text.size() - 1))};
}

std::uint64_t lowBytes(std::int64_t value, std::uint32_t bytes) {
    const auto bits = static_cast<std::uint64_t>(value);
    return bytes == sizeof bits ? bits : bits & ((std::uint64_t{1} << 8 * bytes) - 1);
}
std::int64_t signExtended(std::uint64_t bits, std::uint32_t bytes) {
    const std::uint32_t shift = 64 - 8 * bytes;
    return static_cast<std::int64_t>(bits << shift) >> shift;
}

/// Blank padding to the left or to the right is all that the specification defines for %c, %s and %p.
std::string paddingOf(const Conversion& conversion) {
    std::string padding = "%";
    Cursor flags(conversion.flags, 1);
    if (flags.take("-+ #0").find('-') != std::string_view::npos) padding += '-';
    return padding.append(flags.take(kDigits));
}

}  // namespace

std::optional<Conversion> parseConversion(std::string_view format) {
    Conversion conversion;
    Cursor cursor(format, 1);
    conversion.flags += cursor.take("-+ #0");
    const std::string_view width = cursor.take(kDigits);
    if (sane(width)) conversion.flags += width;
    if (cursor.takeOne('.')) {
        const std::string_view digits = cursor.take(kDigits);
        conversion.precision = sane(digits);
        if (conversion.precision) conversion.flags.append(".").append(digits);
    }
    if (cursor.takeOne('v')) cursor.take(kDigits);
    conversion.integerBytes = integerBytes(cursor.take("hlzjt"));
    if (cursor.atEnd()) return std::nullopt;
    conversion.letter = cursor.next();
    conversion.characters = cursor.at();
    return conversion;
}

std::string integerText(const Conversion& conversion, std::int64_t value) {
    const std::uint64_t bits = lowBytes(value, conversion.integerBytes);
    switch (conversion.letter) {
        case 'd':
        case 'i':
            return formatted(conversion.flags + "lld",
                             static_cast<long long>(signExtended(bits, conversion.integerBytes)));
        case 'u':
        case 'o':
        case 'x':
        case 'X':
            return formatted(conversion.flags + "ll" + conversion.letter, static_cast<unsigned long long>(bits));
        case 'c':
            return formatted(paddingOf(conversion) + 'c', static_cast<int>(value));
        case 'p':
            return pointerText(conversion, static_cast<std::uint64_t>(value));
        default:
            return fmt::format("{}", value);
    }
}

std::string realText(const Conversion& conversion, double value) {
    if (std::string_view("fFeEgGaA").find(conversion.letter) == std::string_view::npos) return fmt::format("{}", value);
    return formatted(conversion.flags + conversion.letter, value);
}

std::string stringText(const Conversion& conversion, const std::string& value) {
    const std::string shown = value.substr(0, conversion.precision.value_or(value.size()));
    const std::string padding = paddingOf(conversion);
    return padding.size() == 1 || shown.size() >= kMaxWidth ? shown : formatted(padding + 's', shown.c_str());
}

std::string pointerText(const Conversion& conversion, std::uint64_t value) {
    if (std::string_view("diuoxX").find(conversion.letter) != std::string_view::npos)
        return integerText(conversion, static_cast<std::int64_t>(value));
    return formatted(paddingOf(conversion) + 'p', reinterpret_cast<const void*>(value));
}

}  // namespace zetl::emulator::module
