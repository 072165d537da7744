// Operators and built-in functions whose results OpenCL C defines bit for bit, as patterns.
//
// $T is the type, $U and $S the unsigned and signed integers of its size, $I the int vector of its width, $M its bits
// less one, $X the largest signed number; $0 stands for any operand of the type, $i and $s for one of the types $I and
// $S.
#pragma once

#include <cstdint>

#include "cl_type.h"

namespace zetl::random_kernels {

enum Kind : std::uint32_t {
    kPromoted = 1,  ///< integers narrower than int, alone
    kSigned = 2,    ///< and not promoted
    kUnsigned = 4,
    kReal = 8,
    kWords = 16,     ///< int and uint, alone and as vectors
    kLoneReal = 32,  ///< no vector
    kSingle = 64,
    kDouble = 128,
    kLongs = 256,  ///< integers of 64 bits
    kNarrow = 512,
};

inline std::uint32_t kindOf(Type type) {
    if (type.isReal()) return kReal | (type.isVector() ? 0u : kLoneReal) | (type.bits() == 64 ? kDouble : kSingle);
    std::uint32_t kind = type.isPromoted() ? kPromoted : type.isSigned() ? kSigned : kUnsigned;
    kind |= type.bits() == 64 ? kLongs : kNarrow;
    if (type.bits() == 32) kind |= kWords;
    return kind;
}

struct Operation {
    std::uint32_t types;
    const char* pattern;
};

inline constexpr std::uint32_t kIntegers = kPromoted | kSigned | kUnsigned;

inline constexpr Operation kOperations[] = {
    {kPromoted, "($T)($0 + $0)"},
    {kPromoted, "($T)($0 - $0)"},
    {kPromoted, "($T)((uint)$0 * (uint)$0)"},
    {kPromoted, "($T)((uint)$0 << ((uint)$0 & $M))"},
    {kUnsigned, "$0 + $0"},
    {kUnsigned, "$0 - $0"},
    {kUnsigned, "$0 * $0"},
    {kUnsigned, "$0 << ($0 & ($T)$M)"},
    {kWords, "as_$T(as_$U($0) * as_$U($0) + as_$U($0))"},
    {kSigned, "as_$T(as_$U($0) + as_$U($0))"},
    {kSigned, "as_$T(as_$U($0) - as_$U($0))"},
    {kSigned, "as_$T(as_$U($0) * as_$U($0))"},
    {kSigned, "as_$T(as_$U($0) << (as_$U($0) & ($U)$M))"},
    {kSigned, "-($0 >> ($T)1)"},
    {kWords, "$0 >> $0"},
    {kIntegers, "($T)($0 >> ($0 & ($T)$M))"},
    {kIntegers, "($T)($0 & $0)"},
    {kIntegers, "($T)($0 | $0)"},
    {kIntegers, "($T)($0 ^ $0)"},
    {kIntegers, "($T)(~$0)"},
    {kUnsigned, "$0 / ($0 | ($T)1)"},
    {kUnsigned, "$0 % ($0 | ($T)1)"},
    {kSigned | kPromoted, "($T)(($0 & ($T)$X) / ($0 | ($T)1))"},
    {kSigned | kPromoted, "($T)(($0 & ($T)$X) % ($0 | ($T)1))"},
    {kSigned | kPromoted, "($T)($0 / (($0 & ($T)$X) | ($T)1))"},
    {kSigned | kPromoted, "($T)($0 % (($0 & ($T)$X) | ($T)1))"},
    {kIntegers, "min($0, $0)"},
    {kIntegers, "max($0, $0)"},
    {kIntegers, "bitselect($0, $0, $0)"},
    {kIntegers, "hadd($0, $0)"},
    {kNarrow, "sub_sat($0, $0)"},
    {kWords | kLongs, "mul_hi($0, $0)"},
    {kIntegers, "mul_hi($0, ($T)($0 & ($T)$X))"},
    {kIntegers, "turned($0, ($T)($0 & ($T)63))"},
    {kUnsigned, "abs_diff($0, $0)"},
    {kWords | kLongs, "as_$T(abs(($T)($0 >> ($T)1)))"},
    {kIntegers, "zeros($0)"},
    {kIntegers, "popcount($0)"},
    {kIntegers, "clamp($0, min($0, ($T)9), ($T)99)"},
    {kWords, "add_sat($0, $0)"},
    {kWords, "rhadd($0, $0)"},
    {kWords, "mad_sat($0, $0, $0)"},
    {kWords, "mul24($0 & ($T)0x7fff, $0 & ($T)0x7fff)"},
    {kWords, "mad24($0 & ($T)0x7fff, $0 & ($T)0x7fff, $0 & ($T)0xffff)"},
    {kReal, "$0 + $0"},
    {kReal, "($0 - $0) + ($T)0"},
    {kReal, "$0 * $0"},
    {kReal, "$0 / $0"},
    {kLoneReal, "-$0"},
    {kReal, "fma($0, $0, $0)"},
    {kReal, "root(fabs($0))"},
    {kReal, "fabs($0)"},
    {kReal, "floor($0) + ($T)0"},
    {kReal, "ceil($0) + ($T)0"},
    {kReal, "trunc($0) + ($T)0"},
    {kSingle, "rint($0) + ($T)0"},
    {kDouble, "rint(fmin(fmax($0, ($T)-1e9), ($T)1e9)) + ($T)0"},
    {kReal, "fmin($0, $0) + ($T)0"},
    {kReal, "fmax($0, $0) + ($T)0"},
    {kReal, "copysign($0, number($0))"},
    {kReal, "ldexp($0, $i & ($I)31)"},
    {kReal, "convert_$T($s)"},
};

}  // namespace zetl::random_kernels
