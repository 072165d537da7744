// The element types of the corpus: sizes, values that matter at the edges, conversion from and to text, comparison.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace zetl::kernels {

using Bytes = std::vector<std::uint8_t>;

/// An OpenCL C scalar type.
struct ElementType {
    enum class Kind : std::uint8_t { signedInteger, unsignedInteger, real };
    std::string_view name;
    Kind kind;
    std::uint32_t bytes;

    /// By OpenCL C name (char, uchar, ..., half, float, double); throws std::runtime_error for others.
    static const ElementType& named(std::string_view name);

    /// Bit patterns at which operations of this type tend to go wrong.
    std::vector<std::uint64_t> edges() const;
    /// Bit pattern of a number.
    std::uint64_t fromNumber(double value) const;
    std::uint64_t fromInteger(std::int64_t value) const;
    /// Bit pattern of a text: a decimal or hexadecimal number, "nan", "inf", "-inf", or "bits:HEX".
    std::uint64_t fromText(const std::string& text) const;
    /// The value of a bit pattern, for messages.
    std::string text(std::uint64_t bits) const;
    /// Value as double; exact for all types but 64-bit integers.
    double toNumber(std::uint64_t bits) const;
};

std::uint64_t elementAt(const Bytes& bytes, const ElementType& type, std::size_t index);
void appendElement(Bytes& bytes, const ElementType& type, std::uint64_t bits);

/// How far results may lie from what is expected.
struct Tolerance {
    double ulp = 0;        ///< units in the last place of the expected value
    double absolute = 0;   ///< or this far
    bool flushed = false;  ///< a denormal may have become zero
};

/// NaN equals any NaN; otherwise bits are equal, or the difference is tolerated.
bool equals(const ElementType& type, std::uint64_t expected, std::uint64_t found, const Tolerance& tolerance);

}  // namespace zetl::kernels
