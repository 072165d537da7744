// One conversion specification of OpenCL C's printf, and values written by it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace zetl::emulator::module {

/// %[flags][width][.precision][vector][length]conversion
struct Conversion {
    std::string flags = "%";               ///< with width and precision, as C wants them
    std::optional<std::size_t> precision;  ///< if it was given
    std::uint32_t integerBytes = 4;        ///< of an integer, by the length modifier
    char letter = 0;
    std::size_t characters = 1;  ///< in the format
};

/// Reads the specification at the head of a format; nothing if the format ends within it. Widths and precisions above
/// 4096 are left out: the format may be hostile.
std::optional<Conversion> parseConversion(std::string_view format);

/// An integer of any size, sign-extended. A conversion that is not for integers writes it in decimal.
std::string integerText(const Conversion& conversion, std::int64_t value);

/// A conversion that is not for floating-point numbers writes the shortest decimal form.
std::string realText(const Conversion& conversion, double value);

/// The text of %s: padded, and cut at the precision.
std::string stringText(const Conversion& conversion, const std::string& value);

/// A conversion that is neither for pointers nor for integers writes it as %p does.
std::string pointerText(const Conversion& conversion, std::uint64_t value);

}  // namespace zetl::emulator::module
