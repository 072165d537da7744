#include "metrics/calculation/operators.h"

#include <algorithm>
#include <cstring>
#include <functional>

namespace zetl::metrics {
namespace {

/// Float32s that one instruction works on together.
using Four = float __attribute__((vector_size(16)));
using Mask = std::int32_t __attribute__((vector_size(16)));
constexpr std::size_t kFour = sizeof(Four) / sizeof(float);

template <class F, class T>
void combine(const T* __restrict left, const T* __restrict right, T* __restrict result, std::size_t count) {
    inGroups(count, [=](std::size_t i) { result[i] = F()(left[i], right[i]); });
}

template <class F>
void wholes(const Node& node, std::uint32_t self, Rows& rows) {
    combine<F>(rows.wholes(node.left), rows.wholes(node.right), rows.wholes(self), rows.count());
}

template <class F>
void reals(const Node& node, std::uint32_t self, Rows& rows) {
    const float* __restrict left = rows.reals(node.left);
    const float* __restrict right = rows.reals(node.right);
    float* __restrict result = rows.reals(self);
    inGroups((rows.count() + kFour - 1) / kFour, [=](std::size_t i) {
        const Four four = F()(together<Four>(left + kFour * i), together<Four>(right + kFour * i));
        std::memcpy(result + kFour * i, &four, sizeof four);
    });
}

/// Products of 64 bits are quicker one by one than by the wider registers, which lack them.
#if defined(__GNUC__) && !defined(__clang__)
__attribute__((optimize("no-tree-vectorize")))
#endif
void products(const Node& node, std::uint32_t self, Rows& rows) {
    const std::uint64_t* __restrict left = rows.wholes(node.left);
    const std::uint64_t* __restrict right = rows.wholes(node.right);
    std::uint64_t* __restrict result = rows.wholes(self);
    inGroups(rows.count(), [=](std::size_t i) { result[i] = left[i] * right[i]; });
}

struct Lesser {
    template <class T>
    T operator()(T left, T right) const {
        return right < left ? right : left;
    }
};
struct Greater {
    template <class T>
    T operator()(T left, T right) const {
        return left < right ? right : left;
    }
};
struct Quotient {
    std::uint64_t operator()(std::uint64_t left, std::uint64_t right) const { return right == 0 ? 0 : left / right; }
};

/// Without a branch, and without a division by zero, which the host may have trapped.
struct RealQuotient {
    Four operator()(Four left, Four right) const {
        const auto ones = (Mask)(Four{} + 1);
        const Mask isZero = right == 0;
        const auto quotient = (Mask)(left / (Four)((Mask)right | (isZero & ones)));
        return (Four)(quotient & ~isZero);
    }
};
struct ShiftLeft {
    std::uint64_t operator()(std::uint64_t left, std::uint64_t right) const { return right < 64 ? left << right : 0; }
};
struct ShiftRight {
    std::uint64_t operator()(std::uint64_t left, std::uint64_t right) const { return right < 64 ? left >> right : 0; }
};

/// Filled once, before the first block.
void constant(const Node&, std::uint32_t, Rows&) {}

void input(const Node& node, std::uint32_t self, Rows& rows) { rows.readInput(node.left, rows.wholes(self)); }

/// Signed conversion is one instruction and gives the same below 2^63.
template <class From>
void convert(const std::uint64_t* __restrict from, float* __restrict to, std::size_t count) {
    inGroups(count, [=](std::size_t i) { to[i] = static_cast<float>(static_cast<From>(from[i])); });
}

void toReal(const Node& node, std::uint32_t self, Rows& rows) {
    const auto* const from = rows.wholes(node.left);
    const auto count = rows.count();
    Pair all{};
    inGroups((count + 1) / kPair, [&](std::size_t i) { all |= together<Pair>(from + kPair * i); });
    if ((all[0] | all[1]) >> 63)
        convert<std::uint64_t>(from, rows.reals(self), count);
    else
        convert<std::int64_t>(from, rows.reals(self), count);
}

std::uint64_t cutOff(float value) {
    constexpr float kBeyond = 18446744073709551616.0f;
    if (!(value > 0)) return 0;
    return value < kBeyond ? static_cast<std::uint64_t>(value) : UINT64_MAX;
}

void toWhole(const Node& node, std::uint32_t self, Rows& rows) {
    const auto* const from = rows.reals(node.left);
    std::transform(from, from + rows.count(), rows.wholes(self), cutOff);
}

void nanoseconds(const Node& node, std::uint32_t self, Rows& rows) {
    const auto* const from = rows.wholes(node.left);
    auto* const to = rows.wholes(self);
    const auto convert = rows.nanoseconds();
    const auto count = rows.count();
    for (std::size_t i = 0; i < count; ++i) to[i] = convert(from[i]);
}

/// In the order of Operator.
constexpr Step kSteps[] = {
    constant,
    input,
    toReal,
    toWhole,
    nanoseconds,
    wholes<std::plus<std::uint64_t>>,
    wholes<std::minus<std::uint64_t>>,
    products,
    wholes<Quotient>,
    wholes<Lesser>,
    wholes<Greater>,
    reals<std::plus<Four>>,
    reals<std::minus<Four>>,
    reals<std::multiplies<Four>>,
    reals<RealQuotient>,
    reals<Lesser>,
    reals<Greater>,
    wholes<std::bit_and<std::uint64_t>>,
    wholes<std::bit_or<std::uint64_t>>,
    wholes<std::bit_xor<std::uint64_t>>,
    wholes<ShiftLeft>,
    wholes<ShiftRight>,
    wholes<std::equal_to<std::uint64_t>>,
    wholes<std::not_equal_to<std::uint64_t>>,
    wholes<std::less<std::uint64_t>>,
    wholes<std::greater<std::uint64_t>>,
    wholes<std::less_equal<std::uint64_t>>,
    wholes<std::greater_equal<std::uint64_t>>,
};
static_assert(std::size(kSteps) == static_cast<std::size_t>(Operator::greaterOrEqual) + 1);

}  // namespace

Step stepOf(Operator op) noexcept { return kSteps[static_cast<std::size_t>(op)]; }

}  // namespace zetl::metrics
