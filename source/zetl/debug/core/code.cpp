#include "core/code.h"

#include "core/failure.h"

namespace zetl::debugger {
namespace {

/// Nothing is known but numbers.
class NoView final : public isa::xe::ConditionView {
  public:
    std::optional<std::uint64_t> base(std::uint64_t) const override { return {}; }
    std::optional<std::uint64_t> registerBits(std::uint64_t, std::uint32_t) const override { return {}; }
    std::optional<std::uint64_t> memory(std::uint64_t, std::uint32_t) const override { return {}; }
    std::optional<std::uint64_t> local(std::uint64_t, std::uint32_t) const override { return {}; }
};

}  // namespace

Code Code::number(std::uint64_t value) {
    Code code;
    code.steps_.push_back({static_cast<std::uint32_t>(Operation::number), 0, value});
    return code;
}

Code Code::lane() {
    Code code;
    code.steps_.push_back({static_cast<std::uint32_t>(Operation::lane), 0, 0});
    return code;
}

Code Code::base(std::uint64_t number) {
    Code code;
    code.steps_.push_back({static_cast<std::uint32_t>(Operation::base), 0, number});
    return code;
}

Code Code::registerBits(const Code& firstBit, std::uint32_t bits) {
    return firstBit.then(Operation::registerBits, bits);
}
Code Code::memory(const Code& address, std::uint32_t bytes) { return address.then(Operation::memory, bytes * 8); }
Code Code::local(const Code& offset, std::uint32_t bytes) { return offset.then(Operation::local, bytes * 8); }

Code Code::then(Operation operation, std::uint32_t bits, std::uint64_t value) const {
    if (steps_.size() >= isa::xe::kMostConditionSteps) fail("the condition is too long");
    Code code = *this;
    code.steps_.push_back({static_cast<std::uint32_t>(operation), bits, value});
    return code.folded();
}

Code Code::with(Operation operation, const Code& right) const {
    if (steps_.size() + right.steps_.size() >= isa::xe::kMostConditionSteps) fail("the condition is too long");
    Code code = *this;
    code.steps_.insert(code.steps_.end(), right.steps_.begin(), right.steps_.end());
    code.steps_.push_back({static_cast<std::uint32_t>(operation), 0, 0});
    return code.folded();
}

Code Code::plus(std::uint64_t right) const { return right == 0 ? *this : plus(number(right)); }

std::optional<std::uint64_t> Code::constant() const {
    const bool isNumber = steps_.size() == 1 && steps_[0].operation == static_cast<std::uint32_t>(Operation::number);
    return isNumber ? std::optional(steps_[0].value) : std::nullopt;
}

/// What consists of numbers is one.
Code Code::folded() const {
    for (const auto& step : steps_)
        if (step.operation == static_cast<std::uint32_t>(Operation::lane)) return *this;
    if (!isa::xe::isCondition(steps_)) return *this;
    const auto value = isa::xe::conditionValue(steps_, 0, NoView());
    return value ? number(*value) : *this;
}

}  // namespace zetl::debugger
