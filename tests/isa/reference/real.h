// Reals of the reference: exact numbers, rounded once to a format of the hardware. No arithmetic of the host's.
#pragma once

#include <cstdint>
#include <vector>

#include "reference/integer.h"

namespace zetl::test::reference {

enum class Rounding : std::uint8_t { nearestEven, up, down, towardZero };  // as cr0.0 [5:4]

/// A binary format: sign, exponent, fraction, in the low bits of a word, or above `unused` bits.
struct RealFormat {
    int exponentBits;
    int fractionBits;
    int unused = 0;

    int bias() const { return (1 << (exponentBits - 1)) - 1; }
    int smallestExponent() const { return 1 - bias(); }  ///< of normal numbers
    int signBit() const { return exponentBits + fractionBits + unused; }
};
inline constexpr RealFormat kHalf{5, 10};
inline constexpr RealFormat kBrain{8, 7};
inline constexpr RealFormat kSingle{8, 23};
inline constexpr RealFormat kDouble{11, 52};
inline constexpr RealFormat kQuarter{5, 2};
inline constexpr RealFormat kTensor{8, 10, 13};
RealFormat formatOf(emulator::isa::DataType type);

/// What distinguishes NaNs: the sign, and the fraction with its first bit at 2^63.
struct Nan {
    bool negative = false;
    std::uint64_t fraction = 1ull << 63;
};

struct Real {
    enum class Kind : std::uint8_t { finite, infinite, nan };

    Kind kind = Kind::finite;
    bool negative = false;
    bool more = false;        ///< the magnitude is a little larger: less than one of its units
    Magnitude magnitude = 0;  ///< of a finite number: magnitude * 2^exponent
    int exponent = 0;
    std::vector<Nan> nans;  ///< of a NaN: those that the result may be

    bool isNan() const { return kind == Kind::nan; }
    bool isInfinite() const { return kind == Kind::infinite; }
    bool isFinite() const { return kind == Kind::finite; }
    bool isZero() const { return isFinite() && magnitude == 0 && !more; }

    static Real zero(bool negative) {
        Real r;
        r.negative = negative;
        return r;
    }
    static Real infinity(bool negative) {
        Real r = zero(negative);
        r.kind = Kind::infinite;
        return r;
    }
    /// What an operation without a NaN among its operands makes: of either sign, for nobody says which.
    static Real invalid();
    static Real of(Integer v);
};

Real decodeReal(std::uint64_t bits, RealFormat format);

/// What becomes of results below the smallest normal number.
enum class Tiny : std::uint8_t {
    kept,
    flushed,       ///< to zero, if still so small after rounding to the format's precision
    flushedFirst,  ///< to zero before rounding
};
/// The number in the format. A NaN becomes its first candidate, quieted.
std::uint64_t encodeReal(const Real& v, RealFormat format, Rounding rounding, Tiny tiny = Tiny::kept);
std::uint64_t encodeNan(Nan nan, RealFormat format);

/// The smallest normal number's exponent is beyond that of a finite number.
bool isBelowNormal(const Real& v, RealFormat format);

Real negated(Real v);
Real magnitudeOf(Real v);
Real sum(const Real& a, const Real& b, Rounding rounding);  ///< the mode decides the sign of an exact zero
Real product(const Real& a, const Real& b);
Real quotient(const Real& a, const Real& b);
Real squareRoot(const Real& v);
/// a * b + c
Real productSum(const Real& a, const Real& b, const Real& c, Rounding rounding);
/// To a whole number.
Real rounded(const Real& v, Rounding rounding);

enum class Order : std::uint8_t { less, equal, greater, unordered };
Order compare(const Real& a, const Real& b);

/// The nearest number of the type once the fraction is gone; 0 of a NaN.
Integer integerOf(const Real& v, Rounding rounding, emulator::isa::DataType type);

}  // namespace zetl::test::reference
