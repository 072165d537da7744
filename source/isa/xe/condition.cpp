#include "isa/xe/condition.h"

#include <bit>
#include <cmath>

namespace zetl::isa::xe {
namespace condition {  // several sources are compiled as one
namespace {

using Operation = ConditionOperation;

constexpr double kLargestInteger = 9.2e18;  // beyond it, numbers are not taken for integers

double halfToReal(std::uint16_t half) noexcept {
    const int exponent = half >> 10 & 31;
    const int fraction = half & 1023;
    const double sign = (half & 0x8000) != 0 ? -1 : 1;
    if (exponent == 31) return fraction != 0 ? NAN : sign * INFINITY;
    return exponent == 0 ? sign * std::ldexp(fraction, -24) : sign * std::ldexp(fraction + 1024, exponent - 25);
}

double realOf(std::uint64_t bits) noexcept { return std::bit_cast<double>(bits); }
std::uint64_t bitsOf(double real) noexcept { return std::bit_cast<std::uint64_t>(real); }
std::int64_t signedOf(std::uint64_t bits) noexcept { return static_cast<std::int64_t>(bits); }

double widened(std::uint64_t value, std::uint32_t bits) noexcept {
    if (bits == 16) return halfToReal(static_cast<std::uint16_t>(value));
    return bits == 32 ? static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(value))) : realOf(value);
}

std::uint64_t extended(std::uint64_t value, std::uint32_t bits) noexcept {
    if (bits >= 64) return value;
    const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
    return ((value & (sign | (sign - 1))) ^ sign) - sign;
}

enum class Shape : std::uint8_t { push, one, two };

Shape shapeOf(Operation operation) noexcept {
    if (operation <= Operation::base) return Shape::push;
    return operation < Operation::add ? Shape::one : Shape::two;
}

bool hasItsBits(const ConditionStep& step) noexcept {
    const bool isBytes = step.bits == 8 || step.bits == 16 || step.bits == 32 || step.bits == 64;
    switch (static_cast<Operation>(step.operation)) {
        case Operation::registerBits:
        case Operation::extend:
            return step.bits >= 1 && step.bits <= 64;
        case Operation::memory:
        case Operation::local:
            return isBytes;
        case Operation::real:
            return isBytes && step.bits != 8;
        case Operation::narrow:
            return step.bits == 32;
        default:
            return true;
    }
}

using Value = std::optional<std::uint64_t>;

/// Each step is carried out for so many lanes before the next one: choosing the operation takes longer than most of
/// them do. More would need more of the caller's stack.
constexpr std::uint32_t kTogether = 16;

/// A place of the stack, for each lane. It is not initialised, which took longer than most programs.
struct Values {
    std::uint64_t of[kTogether];
    std::uint32_t known;  ///< of which lanes; the value of the others is 0

    bool isKnown(std::uint32_t index) const noexcept { return (known >> index & 1) != 0; }
    void set(std::uint32_t index, const Value& value) noexcept {
        of[index] = value.value_or(0);
        known = (known & ~(1u << index)) | std::uint32_t{value.has_value()} << index;
    }
};

Value integerOf(double real) noexcept {
    if (!(std::abs(real) < kLargestInteger)) return {};
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(real));
}

/// The lowest number has no counterpart, so a division by -1 negates.
Value divided(Operation operation, std::uint64_t left, std::uint64_t right) noexcept {
    if (right == 0) return {};
    switch (operation) {
        case Operation::divideSigned:
            return right == UINT64_MAX ? 0 - left : static_cast<std::uint64_t>(signedOf(left) / signedOf(right));
        case Operation::remainderSigned:
            return right == UINT64_MAX ? 0 : static_cast<std::uint64_t>(signedOf(left) % signedOf(right));
        case Operation::divideUnsigned:
            return left / right;
        default:
            return left % right;
    }
}

/// A program on its stack.
class Evaluation {
  public:
    Evaluation(const ConditionView& view, std::span<const std::uint32_t> lanes) : view_(view), lanes_(lanes) {}

    const Values& run(std::span<const ConditionStep> steps) {
        for (const ConditionStep& step : steps) carryOut(step);
        return stack_[0];
    }

  private:
    std::uint32_t count() const noexcept { return static_cast<std::uint32_t>(lanes_.size()); }
    std::uint32_t all() const noexcept { return (1u << count()) - 1; }

    void carryOut(const ConditionStep& step) {
        const auto operation = static_cast<Operation>(step.operation);
        switch (shapeOf(operation)) {
            case Shape::push:
                push(step, stack_[depth_++]);
                break;
            case Shape::one:
                ofOne(step, stack_[depth_ - 1]);
                break;
            case Shape::two:
                --depth_;
                ofTwo(operation, stack_[depth_ - 1], stack_[depth_]);
                break;
        }
    }

    void push(const ConditionStep& step, Values& top) const {
        const auto operation = static_cast<Operation>(step.operation);
        const Value value = operation == Operation::base ? view_.base(step.value) : Value(step.value);
        top.known = value ? all() : 0;
        for (std::uint32_t i = 0; i < count(); ++i)
            top.of[i] = operation == Operation::lane ? lanes_[i] : value.value_or(0);
    }

    /// The function is one of numbers, for any number.
    template <class F>
    void each(Values& top, F function) const {
        for (std::uint32_t i = 0; i < count(); ++i) top.of[i] = function(top.of[i]);
    }
    template <class F>
    void each(Values& left, const Values& right, F function) const {
        for (std::uint32_t i = 0; i < count(); ++i) left.of[i] = function(left.of[i], right.of[i]);
        left.known &= right.known;
    }
    /// The function may return nothing.
    template <class F>
    void eachKnown(Values& top, F function) const {
        for (std::uint32_t i = 0; i < count(); ++i)
            if (top.isKnown(i)) top.set(i, function(top.of[i]));
    }
    template <class F>
    void eachKnown(Values& left, const Values& right, F function) const {
        left.known &= right.known;
        for (std::uint32_t i = 0; i < count(); ++i)
            if (left.isKnown(i)) left.set(i, function(left.of[i], right.of[i]));
    }

    void ofOne(const ConditionStep& step, Values& top) const {
        using Bits = std::uint64_t;
        const std::uint32_t bits = step.bits;
        switch (static_cast<Operation>(step.operation)) {
            case Operation::registerBits:
                return eachKnown(top, [&](Bits first) { return view_.registerBits(first, bits); });
            case Operation::memory:
                return eachKnown(top, [&](Bits address) { return view_.memory(address, bits / 8); });
            case Operation::local:
                return eachKnown(top, [&](Bits offset) { return view_.local(offset, bits / 8); });
            case Operation::extend:
                return each(top, [bits](Bits value) { return extended(value, bits); });
            case Operation::real:
                return each(top, [bits](Bits value) { return bitsOf(widened(value, bits)); });
            case Operation::narrow:
                return each(top,
                            [](Bits value) { return bitsOf(static_cast<double>(static_cast<float>(realOf(value)))); });
            case Operation::realOfSigned:
                return each(top, [](Bits value) { return bitsOf(static_cast<double>(signedOf(value))); });
            case Operation::realOfUnsigned:
                return each(top, [](Bits value) { return bitsOf(static_cast<double>(value)); });
            case Operation::integerOfReal:
                return eachKnown(top, [](Bits value) { return integerOf(realOf(value)); });
            case Operation::below:
                return eachKnown(top, [&](Bits value) { return value < step.value ? Value(value) : Value(); });
            case Operation::negate:
                return each(top, [](Bits value) { return 0 - value; });
            case Operation::complement:
                return each(top, [](Bits value) { return ~value; });
            case Operation::negateReal:
                return each(top, [](Bits value) { return bitsOf(-realOf(value)); });
            default:
                return each(top, [](Bits value) { return Bits{value == 0}; });
        }
    }

    void ofTwo(Operation operation, Values& left, const Values& right) const {
        using Bits = std::uint64_t;
        switch (operation) {
            case Operation::add:
                return each(left, right, [](Bits a, Bits b) { return a + b; });
            case Operation::subtract:
                return each(left, right, [](Bits a, Bits b) { return a - b; });
            case Operation::multiply:
                return each(left, right, [](Bits a, Bits b) { return a * b; });
            case Operation::bitAnd:
                return each(left, right, [](Bits a, Bits b) { return a & b; });
            case Operation::bitOr:
                return each(left, right, [](Bits a, Bits b) { return a | b; });
            case Operation::bitXor:
                return each(left, right, [](Bits a, Bits b) { return a ^ b; });
            case Operation::equal:
                return each(left, right, [](Bits a, Bits b) { return Bits{a == b}; });
            case Operation::lessSigned:
                return each(left, right, [](Bits a, Bits b) { return Bits{signedOf(a) < signedOf(b)}; });
            case Operation::lessUnsigned:
                return each(left, right, [](Bits a, Bits b) { return Bits{a < b}; });
            case Operation::divideSigned:
            case Operation::divideUnsigned:
            case Operation::remainderSigned:
            case Operation::remainderUnsigned:
                return eachKnown(left, right, [=](Bits a, Bits b) { return divided(operation, a, b); });
            case Operation::shiftLeft:
                return each(left, right, [](Bits a, Bits b) { return b >= 64 ? 0 : a << b; });
            case Operation::shiftRightUnsigned:
                return each(left, right, [](Bits a, Bits b) { return b >= 64 ? 0 : a >> b; });
            case Operation::shiftRightSigned:
                return each(left, right,
                            [](Bits a, Bits b) { return b >= 64 ? 0 : static_cast<std::uint64_t>(signedOf(a) >> b); });
            case Operation::both:
            case Operation::either:
                return decide(operation, left, right);
            default:
                return ofReals(operation, left, right);
        }
    }
    void ofReals(Operation operation, Values& left, const Values& right) const {
        const auto eachReal = [&](auto function) {
            each(left, right, [=](std::uint64_t a, std::uint64_t b) { return function(realOf(a), realOf(b)); });
        };
        switch (operation) {
            case Operation::addReal:
                return eachReal([](double a, double b) { return bitsOf(a + b); });
            case Operation::subtractReal:
                return eachReal([](double a, double b) { return bitsOf(a - b); });
            case Operation::multiplyReal:
                return eachReal([](double a, double b) { return bitsOf(a * b); });
            case Operation::divideReal:
                return eachReal([](double a, double b) { return bitsOf(a / b); });
            case Operation::equalReal:
                return eachReal([](double a, double b) { return std::uint64_t{a == b}; });
            default:
                return eachReal([](double a, double b) { return std::uint64_t{a < b}; });
        }
    }
    void decide(Operation operation, Values& left, const Values& right) const {
        for (std::uint32_t i = 0; i < count(); ++i) {
            if (!left.isKnown(i)) continue;
            const bool isTrue = left.of[i] != 0;
            if (isTrue == (operation == Operation::either))
                left.of[i] = isTrue;
            else
                left.set(i, right.isKnown(i) ? Value(std::uint64_t{right.of[i] != 0}) : Value());
        }
    }

    const ConditionView& view_;
    const std::span<const std::uint32_t> lanes_;
    std::size_t depth_ = 0;
    Values stack_[kMostConditionValues];
};

}  // namespace
}  // namespace condition

bool isCondition(std::span<const ConditionStep> steps) noexcept {
    if (steps.empty() || steps.size() > kMostConditionSteps) return false;
    std::size_t depth = 0;
    for (const ConditionStep& step : steps) {
        if (step.operation == 0 || step.operation >= kConditionOperations || !condition::hasItsBits(step)) return false;
        const auto shape = condition::shapeOf(static_cast<ConditionOperation>(step.operation));
        const std::size_t taken = static_cast<std::size_t>(shape);
        if (depth < taken) return false;
        depth += 1 - taken;
        if (depth > kMostConditionValues) return false;
    }
    return depth == 1;
}

std::optional<std::uint64_t> conditionValue(std::span<const ConditionStep> steps, std::uint32_t lane,
                                            const ConditionView& view) {
    condition::Evaluation evaluation(view, {&lane, 1});
    const auto& values = evaluation.run(steps);
    return values.isKnown(0) ? condition::Value(values.of[0]) : condition::Value();
}

std::optional<std::uint64_t> conditionOfLanes(std::span<const ConditionStep> steps, std::uint32_t lanes,
                                              const ConditionView& view) {
    while (lanes != 0) {
        std::uint32_t numbers[condition::kTogether];
        std::size_t count = 0;
        for (; lanes != 0 && count < condition::kTogether; lanes &= lanes - 1)
            numbers[count++] = static_cast<std::uint32_t>(std::countr_zero(lanes));
        condition::Evaluation evaluation(view, {numbers, count});
        const auto& values = evaluation.run(steps);
        for (std::uint32_t i = 0; i < count; ++i) {
            if (!values.isKnown(i)) return {};
            if (values.of[i] != 0) return values.of[i];
        }
    }
    return 0;
}

}  // namespace zetl::isa::xe
