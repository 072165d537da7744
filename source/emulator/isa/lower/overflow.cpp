#include "emulator/isa/lower/overflow.h"

#include <cmath>
#include <limits>

#include "emulator/isa/code.h"
#include "emulator/isa/float_mode.h"
#include "emulator/isa/lower/lowering.h"

namespace zetl::emulator::isa {
namespace {

using Wide = __int128;
using Magnitude = unsigned __int128;

/// An integer of up to 128 bits and a sign: holds every sum and product of three operands of 64 bits.
struct Exact {
    Magnitude magnitude = 0;
    bool negative = false;

    static Exact of(Wide v) { return v < 0 ? Exact{Magnitude(0) - Magnitude(v), true} : Exact{Magnitude(v), false}; }
    /// Only for magnitudes below 2^127.
    Wide value() const { return negative ? -Wide(magnitude) : Wide(magnitude); }
    bool fits(DataType type) const {
        const Magnitude top = Magnitude(1) << (byteSize(type) * 8 - (isSigned(type) ? 1 : 0));
        if (negative && magnitude != 0) return isSigned(type) && magnitude <= top;
        return magnitude < top;
    }
};
Exact operator-(Exact a) { return {a.magnitude, !a.negative}; }
Exact operator*(Exact a, Exact b) { return {a.magnitude * b.magnitude, a.negative != b.negative}; }
Exact operator+(Exact a, Exact b) {
    if (a.negative == b.negative) return {a.magnitude + b.magnitude, a.negative};
    return a.magnitude >= b.magnitude ? Exact{a.magnitude - b.magnitude, a.negative}
                                      : Exact{b.magnitude - a.magnitude, b.negative};
}

template <class T>
const T* lanesAt(const Thread& t, std::uint64_t where) {
    return reinterpret_cast<const T*>(where < layout::kBytes ? reinterpret_cast<std::uint64_t>(t.state) + where
                                                             : where);
}
Exact operandValue(const Operand& o, DataType readAs, std::int64_t raw) {
    Exact v = readAs == DataType::uq ? Exact{static_cast<std::uint64_t>(raw), false} : Exact::of(raw);
    if (o.absolute) v.negative = false;
    return o.negate ? -v : v;
}
Exact byteProducts(const Instruction& in, const std::array<Exact, 3>& v) {
    const auto bytes = [&](int k, int at) {
        const auto byte = static_cast<std::uint8_t>(static_cast<std::uint32_t>(v[k].value()) >> at);
        return isSigned(in.source[k].type) ? Wide(static_cast<std::int8_t>(byte)) : Wide(byte);
    };
    Wide sum = 0;
    for (int at = 0; at < 32; at += 8) sum += bytes(1, at) * bytes(2, at);
    return Exact::of(sum);
}
/// The sum of mach and macl before its halves are taken apart.
Exact partialProduct(const std::array<Exact, 3>& v) {
    return v[2] + v[0] * Exact::of((v[1].value() >> 16) * (Wide(1) << 16));
}
/// Whether it becomes infinite in the mode of cr0.0: of the floating-point types only hf has a range that integers
/// leave.
bool becomesInfinite(const Exact& v, DataType type, std::uint32_t control) {
    constexpr Magnitude largest = 65504;
    constexpr Magnitude halfAPlaceMore = 65520;
    enum { nearestEven, up, down, towardZero };
    const auto rounding = control >> kRoundingShift & 3;
    if (type != DataType::hf || rounding == towardZero) return false;
    if (rounding == nearestEven) return v.magnitude >= halfAPlaceMore;
    return v.magnitude > largest && v.negative == (rounding == down);
}
int shiftCount(const Instruction& in, const Exact& count) {
    const bool wide =
        byteSize(in.destination.type) == 8 || byteSize(in.source[0].type) == 8 || byteSize(in.source[1].type) == 8;
    return static_cast<int>(count.value() & (wide ? 63 : 31));
}
Exact exactResult(const Instruction& in, const std::array<Exact, 3>& v) {
    switch (in.opcode) {
        case Opcode::add:
        case Opcode::addc:
            return v[0] + v[1];
        case Opcode::subb:
            return v[0] + -v[1];
        case Opcode::add3:
            return v[0] + v[1] + v[2];
        case Opcode::mul:
            return v[0] * v[1];
        case Opcode::mad:
            return v[0] + v[1] * v[2];
        case Opcode::mac:
            return v[2] + v[0] * v[1];
        case Opcode::macl:
            return partialProduct(v);
        case Opcode::mach:
            return Exact::of(partialProduct(v).value() >> 32);
        case Opcode::avg:
            return Exact::of((v[0].value() + v[1].value() + 1) >> 1);
        case Opcode::shl:
            return v[0] * Exact{Magnitude(1) << shiftCount(in, v[1]), false};
        case Opcode::shr:
        case Opcode::asr:
            return Exact::of(v[0].value() >> shiftCount(in, v[1]));
        case Opcode::dp4a:
            return v[0] + byteProducts(in, v);
        default:
            return v[0];
    }
}

template <class E>
bool leavesRange(E v, DataType type) {
    const int bits = static_cast<int>(byteSize(type)) * 8 - (isSigned(type) ? 1 : 0);
    const double whole = std::trunc(static_cast<double>(v));
    const double top = std::ldexp(1.0, bits);
    return !(whole < top && whole >= (isSigned(type) ? -top : 0.0));
}
template <class E>
void judgeReals(Thread& t, const Step* m, const Instruction& in) {
    const E* result = lanesAt<E>(t, layout::kExtra);
    for (unsigned i = 0; i < in.width; ++i) {
        bool finite = true;
        for (unsigned k = 0; k < m->kind; ++k) finite &= std::isfinite(lanesAt<E>(t, m->src[k])[i]);
        const DataType type = in.destination.type;
        t.at<std::uint32_t>(layout::kOverflow + i * 4) =
            isReal(type) ? finite && std::isinf(result[i]) : leavesRange(result[i], type);
    }
}

}  // namespace

bool mayOverflow(Opcode opcode) noexcept {
    switch (opcode) {
        case Opcode::mov:
        case Opcode::movi:
        case Opcode::add:
        case Opcode::addc:
        case Opcode::subb:
        case Opcode::add3:
        case Opcode::mul:
        case Opcode::mad:
        case Opcode::madm:
        case Opcode::mac:
        case Opcode::mach:
        case Opcode::macl:
        case Opcode::avg:
        case Opcode::shl:
        case Opcode::shr:
        case Opcode::asr:
        case Opcode::dp4a:
            return true;
        default:
            return false;
    }
}

const Step* integerOverflow(Thread& t, const Step* m) {
    const Instruction& in = t.program->code().instructions[m->line];
    const bool accumulates = in.opcode == Opcode::mac || in.opcode == Opcode::mach || in.opcode == Opcode::macl;
    for (unsigned i = 0; i < in.width; ++i) {
        std::array<Exact, 3> v;
        for (int k = 0; k < in.sources; ++k)
            v[k] = operandValue(in.source[k], readType(in, k), lanesAt<std::int64_t>(t, m->src[k])[i]);
        if (accumulates) v[2] = Exact::of(lanesAt<std::int64_t>(t, m->src[2])[i]);
        const DataType type = in.destination.type;
        const Exact result = exactResult(in, v);
        t.at<std::uint32_t>(layout::kOverflow + i * 4) =
            isReal(type) ? becomesInfinite(result, type, t.at<std::uint32_t>(layout::kControl)) : !result.fits(type);
    }
    return m + 1;
}
const Step* realOverflow(Thread& t, const Step* m) {
    const Instruction& in = t.program->code().instructions[m->line];
    if (m->size == sizeof(double))
        judgeReals<double>(t, m, in);
    else
        judgeReals<float>(t, m, in);
    return m + 1;
}

}  // namespace zetl::emulator::isa
