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

Value integerOf(double real) noexcept {
    if (!(std::abs(real) < kLargestInteger)) return {};
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(real));
}

Value ofOne(const ConditionStep& step, std::uint64_t value, const ConditionView& view) {
    switch (static_cast<Operation>(step.operation)) {
        case Operation::registerBits:
            return view.registerBits(value, step.bits);
        case Operation::memory:
            return view.memory(value, step.bits / 8);
        case Operation::local:
            return view.local(value, step.bits / 8);
        case Operation::extend:
            return extended(value, step.bits);
        case Operation::real:
            return bitsOf(widened(value, step.bits));
        case Operation::narrow:
            return bitsOf(static_cast<double>(static_cast<float>(realOf(value))));
        case Operation::realOfSigned:
            return bitsOf(static_cast<double>(signedOf(value)));
        case Operation::realOfUnsigned:
            return bitsOf(static_cast<double>(value));
        case Operation::integerOfReal:
            return integerOf(realOf(value));
        case Operation::below:
            return value < step.value ? Value(value) : Value();
        case Operation::negate:
            return 0 - value;
        case Operation::complement:
            return ~value;
        case Operation::negateReal:
            return bitsOf(-realOf(value));
        default:
            return std::uint64_t{value == 0};
    }
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

std::uint64_t shifted(Operation operation, std::uint64_t left, std::uint64_t right) noexcept {
    if (right >= 64) return 0;
    if (operation == Operation::shiftLeft) return left << right;
    return operation == Operation::shiftRightUnsigned ? left >> right
                                                      : static_cast<std::uint64_t>(signedOf(left) >> right);
}

std::uint64_t ofReals(Operation operation, double left, double right) noexcept {
    switch (operation) {
        case Operation::addReal:
            return bitsOf(left + right);
        case Operation::subtractReal:
            return bitsOf(left - right);
        case Operation::multiplyReal:
            return bitsOf(left * right);
        case Operation::divideReal:
            return bitsOf(left / right);
        case Operation::equalReal:
            return std::uint64_t{left == right};
        default:
            return std::uint64_t{left < right};
    }
}

Value ofTwo(Operation operation, std::uint64_t left, std::uint64_t right) noexcept {
    switch (operation) {
        case Operation::add:
            return left + right;
        case Operation::subtract:
            return left - right;
        case Operation::multiply:
            return left * right;
        case Operation::bitAnd:
            return left & right;
        case Operation::bitOr:
            return left | right;
        case Operation::bitXor:
            return left ^ right;
        case Operation::equal:
            return std::uint64_t{left == right};
        case Operation::lessSigned:
            return std::uint64_t{signedOf(left) < signedOf(right)};
        case Operation::lessUnsigned:
            return std::uint64_t{left < right};
        case Operation::divideSigned:
        case Operation::divideUnsigned:
        case Operation::remainderSigned:
        case Operation::remainderUnsigned:
            return divided(operation, left, right);
        case Operation::shiftLeft:
        case Operation::shiftRightSigned:
        case Operation::shiftRightUnsigned:
            return shifted(operation, left, right);
        default:
            return ofReals(operation, realOf(left), realOf(right));
    }
}

Value ofBoth(Operation operation, const Value& left, const Value& right) noexcept {
    if (operation == Operation::both || operation == Operation::either) {
        if (!left) return {};
        const bool decides = (*left != 0) == (operation == Operation::either);
        if (decides) return std::uint64_t{*left != 0};
        return right ? Value(std::uint64_t{*right != 0}) : Value();
    }
    return left && right ? ofTwo(operation, *left, *right) : Value();
}

Value pushed(const ConditionStep& step, std::uint32_t lane, const ConditionView& view) {
    const auto operation = static_cast<Operation>(step.operation);
    if (operation == Operation::base) return view.base(step.value);
    return operation == Operation::lane ? lane : step.value;
}

/// Its places are not initialised, which took longer than most programs: there is one stack for each lane.
class Stack {
  public:
    void push(const Value& value) noexcept {
        values_[depth_] = value.value_or(0);
        known_ = (known_ & ~(std::uint64_t{1} << depth_)) | std::uint64_t{value.has_value()} << depth_;
        ++depth_;
    }
    Value pop() noexcept {
        --depth_;
        return (known_ >> depth_ & 1) != 0 ? Value(values_[depth_]) : Value();
    }

  private:
    static_assert(kMostConditionValues <= 64);  // bits of known_
    std::uint64_t values_[kMostConditionValues];
    std::uint64_t known_ = 0;
    std::size_t depth_ = 0;
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
    condition::Stack stack;
    for (const ConditionStep& step : steps) {
        const auto operation = static_cast<ConditionOperation>(step.operation);
        switch (condition::shapeOf(operation)) {
            case condition::Shape::push:
                stack.push(condition::pushed(step, lane, view));
                break;
            case condition::Shape::one:
                if (const auto value = stack.pop())
                    stack.push(condition::ofOne(step, *value, view));
                else
                    stack.push({});
                break;
            case condition::Shape::two: {
                const auto right = stack.pop();
                const auto left = stack.pop();
                stack.push(condition::ofBoth(operation, left, right));
                break;
            }
        }
    }
    return stack.pop();
}

}  // namespace zetl::isa::xe
