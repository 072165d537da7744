// dpas on reals: elements whose sum is exact in whatever order the hardware adds, which is not published. So is what it
// does with denormals, and with the sign of a zero.
#include <algorithm>
#include <bit>
#include <limits>

#include "reference/operations.h"

namespace zetl::test::reference {
namespace {

/// What is added up: sums are kept in f, so all orders agree while the sum of magnitudes fits its digits.
class Addends {
  public:
    void add(const Real& v) { list_.push_back(v); }
    bool isNan() const {
        bool sides[2] = {};
        for (const Real& v : list_) {
            if (v.isNan()) return true;
            if (v.isInfinite()) sides[v.negative] = true;
        }
        return sides[0] && sides[1];
    }
    const Real* infinity() const {
        const auto found = std::ranges::find_if(list_, &Real::isInfinite);
        return found == list_.end() ? nullptr : &*found;
    }
    /// The sum of the finite ones; nothing if the order may matter.
    std::optional<Real> sum() const {
        constexpr int kDigits = 24;
        constexpr int kLeast = -126;
        constexpr int kMost = 100;
        int unit = kMost;
        for (const Real& v : list_)
            if (v.isFinite() && v.magnitude != 0) unit = std::min(unit, v.exponent + trailingZeros(v.magnitude));
        if (unit < kLeast) return {};
        Real total = Real::zero(false);
        Magnitude all = 0;
        Integer units;
        for (const Real& v : list_) {
            if (!v.isFinite() || v.magnitude == 0) continue;
            const int shift = v.exponent - unit;
            if (shift > kDigits) return {};
            const Magnitude magnitude = shift >= 0 ? v.magnitude << shift : v.magnitude >> -shift;
            all += magnitude;
            if (all >> kDigits != 0) return {};
            units = units + Integer{magnitude, v.negative};
        }
        total.negative = units.isNegative();
        total.magnitude = units.magnitude;
        total.exponent = unit;
        return total;
    }

  private:
    std::vector<Real> list_;

    static int trailingZeros(Magnitude v) { return std::countr_zero(static_cast<std::uint64_t>(v)); }
};

/// An element of a matrix, packed into dwords from the first byte of the operand on; nothing if it is a denormal.
std::optional<Real> elementAt(const State& s, const isa::Operand& o, unsigned element) {
    const std::uint32_t size = isa::byteSize(o.type);
    const auto place = sourcePlace(s, o, isa::DataType::ub, 0);
    const std::uint64_t bits = s.read(*place + element * size, size);
    const RealFormat format = formatOf(o.type);
    const Real v = decodeReal(bits, format);
    const bool cut = (bits & maskOf(static_cast<unsigned>(format.unused))) != 0;
    if (cut || (v.isFinite() && v.magnitude != 0 && isBelowNormal(v, format))) return {};
    return v;
}
std::optional<Addends> addendsOf(const State& s, const isa::Instruction& in, unsigned row, unsigned column) {
    constexpr unsigned kColumns = 16;
    const auto& [addend, second, third] = in.source;
    const unsigned inDword = 4 / isa::byteSize(second.type);
    const unsigned depth = in.systolicDepth * inDword;
    Addends all;
    if (!addend.isNull()) {
        const auto c = elementAt(s, addend, row * kColumns + column);
        if (!c) return {};
        all.add(*c);
    }
    for (unsigned k = 0; k < depth; ++k) {
        const auto a = elementAt(s, third, row * depth + k);
        const auto b = elementAt(s, second, (k / inDword * kColumns + column) * inDword + k % inDword);
        if (!a || !b) return {};
        all.add(product(*a, *b));
    }
    return all;
}

Result open() {
    Result result;
    result.isOpen = true;
    return result;
}

}  // namespace

/// Only in the nearest-even mode is it known how a narrow result is rounded.
Result realMatrixElement(const State& s, const isa::Instruction& in, unsigned row, unsigned column) {
    const RealFormat format = formatOf(in.destination.type);
    const auto addends = addendsOf(s, in, row, column);
    const auto sum = addends ? addends->sum() : std::nullopt;
    if (!sum) return open();
    Result result;
    if (addends->isNan()) {
        result.near = std::numeric_limits<long double>::quiet_NaN();
        return result;
    }
    if (const Real* infinity = addends->infinity()) {
        result.bits = encodeReal(*infinity, format, Rounding::nearestEven);
        return result;
    }
    if (sum->isZero()) {
        result.others.push_back(1ull << format.signBit());
        return result;
    }
    if (isBelowNormal(*sum, format)) return open();
    result.bits = encodeReal(*sum, format, Rounding::nearestEven);
    if (FloatMode::of(s).rounding == Rounding::nearestEven) return result;
    for (const Rounding r : {Rounding::up, Rounding::down, Rounding::towardZero})
        result.others.push_back(encodeReal(*sum, format, r));
    return result;
}

}  // namespace zetl::test::reference
