#include "reference/real.h"

#include <algorithm>

namespace zetl::test::reference {
namespace {

using emulator::isa::DataType;

constexpr int kTop = 125;  // of a normalised magnitude: room for a carry

int topBit(Magnitude m) {
    int n = -1;
    for (; m != 0; m >>= 1) ++n;
    return n;
}
/// The same number with its first bit at kTop.
Real normalised(Real v) {
    const int shift = kTop - topBit(v.magnitude);
    if (v.magnitude == 0 || shift < 0) return v;
    v.magnitude <<= shift;
    v.exponent -= shift;
    return v;
}
/// Without its last `places` bits; whether any was set stays in `more`.
Real shortened(Real v, int places) {
    if (places <= 0) return v;
    const Magnitude kept = places > 127 ? 0 : v.magnitude >> places;
    const Magnitude back = places > 127 ? 0 : kept << places;
    v.more |= back != v.magnitude;
    v.magnitude = kept;
    v.exponent += places;
    return v;
}
/// The number as a multiple of 2^exponent.
Real roundedAt(const Real& v, int exponent, Rounding rounding) {
    const int places = exponent - v.exponent;
    Real kept = shortened(v, places);
    bool up = false;
    if (kept.more) {
        const Real half = shortened(v, places - 1);  // one bit longer: its last bit is half a unit
        const bool atLeastHalf = places > 0 && (half.magnitude & 1) != 0;
        const bool aboveHalf = atLeastHalf && half.more;
        switch (rounding) {
            case Rounding::nearestEven:
                up = aboveHalf || (atLeastHalf && (kept.magnitude & 1) != 0);
                break;
            case Rounding::up:
                up = !v.negative;
                break;
            case Rounding::down:
                up = v.negative;
                break;
            case Rounding::towardZero:
                break;
        }
    }
    if (up) ++kept.magnitude;
    kept.more = false;
    return kept;
}
bool nansOf(Real& result, std::initializer_list<const Real*> operands) {
    for (const Real* o : operands) {
        if (!o->isNan()) continue;
        result.kind = Real::Kind::nan;
        result.nans.insert(result.nans.end(), o->nans.begin(), o->nans.end());
    }
    return result.isNan();
}
bool smallerMagnitude(const Real& a, const Real& b) {  // both normalised and not zero
    return a.exponent != b.exponent ? a.exponent < b.exponent : a.magnitude < b.magnitude;
}

}  // namespace

RealFormat formatOf(DataType type) {
    switch (type) {
        case DataType::hf:
            return kHalf;
        case DataType::bf:
            return kBrain;
        case DataType::df:
            return kDouble;
        case DataType::bf8:
            return kQuarter;
        case DataType::tf32:
            return kTensor;
        default:
            return kSingle;
    }
}

Real Real::invalid() {
    Real r;
    r.kind = Kind::nan;
    r.nans = {Nan{true}, Nan{false}};
    return r;
}
Real Real::of(Integer v) {
    Real r = zero(v.isNegative());
    r.magnitude = v.magnitude;
    return r;
}

Real decodeReal(std::uint64_t bits, RealFormat f) {
    const std::uint64_t fraction = bits >> f.unused & maskOf(static_cast<unsigned>(f.fractionBits));
    const auto exponent = static_cast<int>(bits >> (f.fractionBits + f.unused) & maskOf(unsigned(f.exponentBits)));
    const bool negative = bits >> f.signBit() & 1;
    if (exponent == (1 << f.exponentBits) - 1) {
        Real special = Real::infinity(negative);
        if (fraction == 0) return special;
        special.kind = Real::Kind::nan;
        special.nans = {Nan{negative, fraction << (64 - f.fractionBits)}};
        return special;
    }
    Real v = Real::zero(negative);
    v.magnitude = exponent == 0 ? fraction : fraction | 1ull << f.fractionBits;
    v.exponent = std::max(exponent, 1) - f.bias() - f.fractionBits;
    return v;
}

std::uint64_t encodeNan(Nan nan, RealFormat f) {
    const std::uint64_t ones = maskOf(static_cast<unsigned>(f.exponentBits)) << f.fractionBits;
    const std::uint64_t fraction = (nan.fraction | 1ull << 63) >> (64 - f.fractionBits);
    return ((ones | fraction) << f.unused) | std::uint64_t(nan.negative) << f.signBit();
}
std::uint64_t encodeReal(const Real& v, RealFormat f, Rounding rounding, Tiny tiny) {
    if (v.isNan()) return encodeNan(v.nans.front(), f);
    const std::uint64_t sign = std::uint64_t(v.negative) << f.signBit();
    const std::uint64_t infinity = maskOf(static_cast<unsigned>(f.exponentBits)) << (f.fractionBits + f.unused);
    if (v.isInfinite()) return sign | infinity;
    if (v.isZero()) return sign;
    const int leading = topBit(v.magnitude) + v.exponent;
    const int least = f.smallestExponent();
    const Real precise = roundedAt(v, leading - f.fractionBits, rounding);
    const bool isTiny = topBit(precise.magnitude) + precise.exponent < least;
    if (tiny == Tiny::flushedFirst && leading < least) return sign;
    if (tiny == Tiny::flushed && isTiny) return sign;
    const Real r = leading < least ? roundedAt(v, least - f.fractionBits, rounding) : precise;
    if (r.magnitude == 0) return sign;
    const int exponent = topBit(r.magnitude) + r.exponent;
    if (exponent > f.bias()) {
        const bool away = rounding == Rounding::nearestEven || rounding == (v.negative ? Rounding::down : Rounding::up);
        return sign | (away ? infinity : infinity - (1ull << f.unused));
    }
    const int shift = r.exponent - (std::max(exponent, least) - f.fractionBits);
    const auto fraction = static_cast<std::uint64_t>(shift >= 0 ? r.magnitude << shift : r.magnitude >> -shift);
    const std::uint64_t biased = exponent < least ? 0 : static_cast<std::uint64_t>(exponent + f.bias());
    const std::uint64_t body = biased << f.fractionBits | (fraction & maskOf(static_cast<unsigned>(f.fractionBits)));
    return sign | body << f.unused;
}
bool isBelowNormal(const Real& v, RealFormat f) {
    return v.isFinite() && (v.magnitude == 0 || topBit(v.magnitude) + v.exponent < f.smallestExponent());
}

Real negated(Real v) {
    v.negative = !v.negative;
    for (Nan& nan : v.nans) nan.negative = !nan.negative;
    return v;
}
Real magnitudeOf(Real v) {
    v.negative = false;
    for (Nan& nan : v.nans) nan.negative = false;
    return v;
}

Real sum(const Real& left, const Real& right, Rounding rounding) {
    Real result;
    if (nansOf(result, {&left, &right})) return result;
    if (left.isInfinite() && right.isInfinite() && left.negative != right.negative) return Real::invalid();
    if (left.isInfinite() || right.isInfinite()) return left.isInfinite() ? left : right;
    if (left.isZero() && right.isZero())
        return Real::zero(left.negative == right.negative ? left.negative : rounding == Rounding::down);
    if (left.isZero() || right.isZero()) return left.isZero() ? right : left;
    Real a = normalised(left);
    Real b = normalised(right);
    if (smallerMagnitude(a, b)) std::swap(a, b);
    b = shortened(b, a.exponent - b.exponent);
    result = a;
    result.more = b.more;
    if (a.negative == b.negative) {
        result.magnitude = a.magnitude + b.magnitude;
        return result;
    }
    result.magnitude = a.magnitude - b.magnitude - (b.more ? 1 : 0);
    return result.isZero() ? Real::zero(rounding == Rounding::down) : result;
}
Real product(const Real& a, const Real& b) {
    Real result;
    if (nansOf(result, {&a, &b})) return result;
    const bool negative = a.negative != b.negative;
    if ((a.isInfinite() && b.isZero()) || (a.isZero() && b.isInfinite())) return Real::invalid();
    if (a.isInfinite() || b.isInfinite()) return Real::infinity(negative);
    result.negative = negative;
    result.magnitude = a.magnitude * b.magnitude;  // of at most 64 bits each
    result.exponent = a.exponent + b.exponent;
    return result;
}
Real productSum(const Real& a, const Real& b, const Real& c, Rounding rounding) {
    Real result;
    if (nansOf(result, {&a, &b, &c})) {  // of the product as well, if it is none
        if ((a.isInfinite() && b.isZero()) || (a.isZero() && b.isInfinite()))
            for (const Nan& nan : Real::invalid().nans) result.nans.push_back(nan);
        return result;
    }
    return sum(product(a, b), c, rounding);
}
Real quotient(const Real& a, const Real& b) {
    Real result;
    if (nansOf(result, {&a, &b})) return result;
    const bool negative = a.negative != b.negative;
    if ((a.isInfinite() && b.isInfinite()) || (a.isZero() && b.isZero())) return Real::invalid();
    if (a.isInfinite() || b.isZero()) return Real::infinity(negative);
    if (b.isInfinite() || a.isZero()) return Real::zero(negative);
    const Real dividend = normalised(a);
    result.negative = negative;
    result.magnitude = dividend.magnitude / b.magnitude;
    result.more = dividend.magnitude % b.magnitude != 0;
    result.exponent = dividend.exponent - b.exponent;
    return result;
}
Real squareRoot(const Real& v) {
    Real result;
    if (nansOf(result, {&v})) return result;
    if (v.isZero()) return v;
    if (v.negative) return Real::invalid();
    if (v.isInfinite()) return v;
    Real square = normalised(v);
    if (square.exponent % 2 != 0) {
        square.magnitude <<= 1;
        --square.exponent;
    }
    for (Magnitude bit = Magnitude(1) << 63; bit != 0; bit >>= 1) {
        const Magnitude tried = result.magnitude | bit;
        if (tried * tried <= square.magnitude) result.magnitude = tried;
    }
    result.more = result.magnitude * result.magnitude != square.magnitude;
    result.exponent = square.exponent / 2;
    return result;
}
Real rounded(const Real& v, Rounding rounding) {
    Real result;
    if (nansOf(result, {&v})) return result;
    return v.isInfinite() || v.isZero() || v.exponent >= 0 ? v : roundedAt(v, 0, rounding);
}

Order compare(const Real& a, const Real& b) {
    if (a.isNan() || b.isNan()) return Order::unordered;
    if (a.isZero() && b.isZero()) return Order::equal;
    const auto sign = [](const Real& v) { return v.isZero() ? 0 : v.negative ? -1 : 1; };
    if (sign(a) != sign(b)) return sign(a) < sign(b) ? Order::less : Order::greater;
    if (a.isInfinite() && b.isInfinite()) return Order::equal;
    const Real x = normalised(a);
    const Real y = normalised(b);
    const bool smaller = b.isInfinite() || (a.isFinite() && smallerMagnitude(x, y));
    const bool larger = a.isInfinite() || (b.isFinite() && smallerMagnitude(y, x));
    if (!smaller && !larger) return Order::equal;
    return smaller != a.negative ? Order::less : Order::greater;
}

Integer integerOf(const Real& v, Rounding rounding, DataType type) {
    if (v.isNan()) return {};
    const Range range = Range::of(type);
    constexpr int kBeyond = 66;  // bits that no type has
    if (v.isInfinite() || topBit(v.magnitude) + v.exponent > kBeyond) return v.negative ? range.low : range.high;
    const Real whole = rounded(v, rounding);
    const Magnitude magnitude = whole.exponent >= 0 ? whole.magnitude << whole.exponent : whole.magnitude;
    return range.nearest({magnitude, v.negative});
}

}  // namespace zetl::test::reference
