// Data types of operands, with the numbers of the one- and two-source encoding.
#pragma once

#include <cstdint>
#include <string_view>

namespace zetl::isa::xe {

enum class DataType : std::uint8_t {
    ub,
    uw,
    ud,
    uq,
    b,
    w,
    d,
    q,
    bf8,  // the upper half of an hf
    hf,
    f,
    df,
    hf8,  // four bits of exponent, three of fraction
    bf,
    tf32,  // an f with ten bits of fraction
    reserved,
    v,
    uv,
    vf,  // packed vector immediates: eight 4-bit signed, eight 4-bit unsigned, four 8-bit floats
};
/// Types that a register operand can have; the vector immediates follow behind a reserved number.
inline constexpr int kDataTypes = 15;

constexpr std::uint32_t byteSize(DataType t) noexcept {
    constexpr std::uint8_t sizes[] = {1, 2, 4, 8, 1, 2, 4, 8, 1, 2, 4, 8, 1, 2, 4, 1, 4, 4, 4};
    return sizes[static_cast<int>(t)];
}
constexpr bool isReal(DataType t) noexcept {
    return t == DataType::hf || t == DataType::f || t == DataType::df || t == DataType::bf || t == DataType::vf ||
           t == DataType::bf8 || t == DataType::hf8 || t == DataType::tf32;
}
constexpr bool isSigned(DataType t) noexcept {
    return (t >= DataType::b && t <= DataType::q) || t == DataType::v || isReal(t);
}
constexpr bool isVectorImmediate(DataType t) noexcept { return t >= DataType::v; }
constexpr bool isWholeNumber(DataType t) noexcept {
    return !isReal(t) && !isVectorImmediate(t) && t != DataType::reserved;
}
constexpr DataType unsignedOf(std::uint32_t size) noexcept {
    return size == 1 ? DataType::ub : size == 2 ? DataType::uw : size == 4 ? DataType::ud : DataType::uq;
}
constexpr std::string_view nameOf(DataType t) noexcept {
    constexpr std::string_view names[] = {"ub", "uw", "ud",  "uq", "b",    "w",   "d", "q",  "bf8", "hf",
                                          "f",  "df", "hf8", "bf", "tf32", "?15", "v", "uv", "vf"};
    return names[static_cast<int>(t)];
}

}  // namespace zetl::isa::xe
