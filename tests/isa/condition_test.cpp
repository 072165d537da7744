// Programs of conditions: their values, and what is none.
#include "isa/xe/condition.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <random>
#include <vector>

namespace zetl::isa::xe {
namespace {

using Operation = ConditionOperation;

/// Memory holds its own addresses, registers their bits' numbers; above a limit there is nothing.
class NumberedView final : public ConditionView {
  public:
    static constexpr std::uint64_t kLimit = 1000;
    std::optional<std::uint64_t> base(std::uint64_t number) const override { return known(number); }
    std::optional<std::uint64_t> registerBits(std::uint64_t bit, std::uint32_t) const override { return known(bit); }
    std::optional<std::uint64_t> memory(std::uint64_t address, std::uint32_t) const override { return known(address); }
    std::optional<std::uint64_t> local(std::uint64_t offset, std::uint32_t) const override { return known(offset); }

  private:
    static std::optional<std::uint64_t> known(std::uint64_t number) {
        return number < kLimit ? std::optional(number) : std::nullopt;
    }
};

ConditionStep stepOf(Operation operation, std::uint32_t bits = 0, std::uint64_t value = 0) {
    return {static_cast<std::uint32_t>(operation), bits, value};
}
ConditionStep numberOf(std::uint64_t value) { return stepOf(Operation::number, 0, value); }
std::uint64_t bitsOf(double real) { return std::bit_cast<std::uint64_t>(real); }

std::optional<std::uint64_t> valueOf(const std::vector<ConditionStep>& steps, std::uint32_t lane = 0) {
    EXPECT_TRUE(isCondition(steps));
    return conditionValue(steps, lane, NumberedView());
}
std::optional<std::uint64_t> ofTwo(std::uint64_t left, std::uint64_t right, Operation operation) {
    return valueOf({numberOf(left), numberOf(right), stepOf(operation)});
}
constexpr std::uint64_t kMinusSeven = 0 - std::uint64_t{7};
constexpr std::uint64_t kLowest = std::uint64_t{1} << 63;
constexpr std::uint64_t kMinusOne = UINT64_MAX;

TEST(Condition, Computes) {
    EXPECT_EQ(valueOf({stepOf(Operation::lane)}, 9), 9u);
    EXPECT_EQ(ofTwo(7, 5, Operation::subtract), 2u);
    EXPECT_EQ(ofTwo(kMinusSeven, 2, Operation::divideSigned), 0 - std::uint64_t{3});
    EXPECT_EQ(ofTwo(kMinusSeven, 2, Operation::remainderSigned), kMinusOne);
    EXPECT_EQ(ofTwo(kMinusSeven, 2, Operation::divideUnsigned), kMinusSeven / 2);
    EXPECT_EQ(ofTwo(kLowest, kMinusOne, Operation::divideSigned), kLowest);
    EXPECT_EQ(ofTwo(kLowest, kMinusOne, Operation::remainderSigned), 0u);
    EXPECT_EQ(ofTwo(kMinusSeven, 1, Operation::lessSigned), 1u);
    EXPECT_EQ(ofTwo(kMinusSeven, 1, Operation::lessUnsigned), 0u);
    EXPECT_EQ(ofTwo(1, 64, Operation::shiftLeft), 0u);
    EXPECT_EQ(ofTwo(kMinusSeven, 1, Operation::shiftRightSigned), 0 - std::uint64_t{4});
    EXPECT_EQ(valueOf({numberOf(0x180), stepOf(Operation::extend, 8)}), 0 - std::uint64_t{128});
    EXPECT_EQ(valueOf({numberOf(0x3c00), stepOf(Operation::real, 16)}), bitsOf(1));
    EXPECT_EQ(valueOf({numberOf(std::bit_cast<std::uint32_t>(-2.5F)), stepOf(Operation::real, 32)}), bitsOf(-2.5));
    EXPECT_EQ(valueOf({numberOf(bitsOf(0.1)), stepOf(Operation::narrow, 32)}), bitsOf(static_cast<double>(0.1F)));
    EXPECT_EQ(ofTwo(bitsOf(0.5), bitsOf(0.25), Operation::divideReal), bitsOf(2));
    EXPECT_EQ(ofTwo(bitsOf(-0.0), bitsOf(0.0), Operation::equalReal), 1u);
    EXPECT_EQ(valueOf({numberOf(kMinusSeven), stepOf(Operation::realOfSigned)}), bitsOf(-7));
    EXPECT_EQ(valueOf({numberOf(bitsOf(-7.9)), stepOf(Operation::integerOfReal)}), kMinusSeven);
    EXPECT_EQ(valueOf({numberOf(12), stepOf(Operation::memory, 32)}), 12u);
}

TEST(Condition, WhatCannotBeReadIsUnknownAndSoIsWhatFollowsFromIt) {
    const std::vector<ConditionStep> unknown = {numberOf(NumberedView::kLimit), stepOf(Operation::memory, 32)};
    const auto with = [&](std::vector<ConditionStep> before, std::vector<ConditionStep> after) {
        before.insert(before.end(), unknown.begin(), unknown.end());
        before.insert(before.end(), after.begin(), after.end());
        return valueOf(before);
    };
    EXPECT_FALSE(with({}, {}));
    EXPECT_FALSE(with({numberOf(1)}, {stepOf(Operation::add)}));
    EXPECT_FALSE(with({}, {stepOf(Operation::isZero)}));
    EXPECT_EQ(with({numberOf(0)}, {stepOf(Operation::both)}), 0u) << "as in C, the second is not looked at";
    EXPECT_EQ(with({numberOf(5)}, {stepOf(Operation::either)}), 1u);
    EXPECT_FALSE(with({numberOf(5)}, {stepOf(Operation::both)}));
    EXPECT_FALSE(with({}, {numberOf(0), stepOf(Operation::both)})) << "the first is";
    EXPECT_FALSE(ofTwo(1, 0, Operation::divideUnsigned));
    EXPECT_FALSE(ofTwo(1, 0, Operation::remainderSigned));
    EXPECT_FALSE(valueOf({numberOf(bitsOf(1e30)), stepOf(Operation::integerOfReal)}));
    EXPECT_FALSE(valueOf({numberOf(4), stepOf(Operation::below, 0, 4)}));
    EXPECT_EQ(valueOf({numberOf(3), stepOf(Operation::below, 0, 4)}), 3u);
}

TEST(Condition, WhatIsNoneIsRefused) {
    EXPECT_FALSE(isCondition({}));
    const std::vector<std::vector<ConditionStep>> none = {{stepOf(Operation::none)},
                                                          {stepOf(Operation::isZero)},
                                                          {numberOf(1), stepOf(Operation::add)},
                                                          {numberOf(1), numberOf(2)},
                                                          {numberOf(1), stepOf(Operation::memory, 0)},
                                                          {numberOf(1), stepOf(Operation::local, 128)},
                                                          {numberOf(1), stepOf(Operation::registerBits, 65)},
                                                          {numberOf(1), stepOf(Operation::extend, 0)},
                                                          {numberOf(1), stepOf(Operation::real, 8)},
                                                          {{kConditionOperations, 0, 0}},
                                                          {{UINT32_MAX, 0, 0}}};
    for (const auto& each : none) EXPECT_FALSE(isCondition(each));
    std::vector<ConditionStep> deep(kMostConditionValues, numberOf(1));
    deep.resize(2 * kMostConditionValues - 1, stepOf(Operation::add));
    EXPECT_EQ(valueOf(deep), kMostConditionValues);
    deep.insert(deep.begin(), numberOf(1));
    deep.push_back(stepOf(Operation::add));
    EXPECT_FALSE(isCondition(deep));
}

void expectAsLaneByLane(const std::vector<ConditionStep>& steps, std::uint32_t lanes) {
    std::optional<std::uint64_t> expected = 0;
    for (std::uint32_t lane = 0; lane < 32 && expected == std::optional<std::uint64_t>(0); ++lane)
        if ((lanes >> lane & 1) != 0) expected = conditionValue(steps, lane, NumberedView());
    EXPECT_EQ(conditionOfLanes(steps, lanes, NumberedView()), expected);
}

/// What passes the check ends and stays on its stack, whatever it says.
TEST(Condition, RandomProgramsHarmNobody) {
    std::mt19937_64 random(7);
    std::uint32_t conditions = 0;
    for (int i = 0; i < 200'000; ++i) {
        std::vector<ConditionStep> steps(1 + random() % 6);
        for (ConditionStep& step : steps)
            step = {static_cast<std::uint32_t>(random() % (kConditionOperations + 1)),
                    static_cast<std::uint32_t>(8u << random() % 4), random() >> random() % 64};
        if (!isCondition(steps)) continue;
        ++conditions;
        const auto first = conditionValue(steps, 3, NumberedView());
        EXPECT_EQ(first, conditionValue(steps, 3, NumberedView()));
        expectAsLaneByLane(steps, static_cast<std::uint32_t>(random()));
    }
    EXPECT_GT(conditions, 1000u);
}

TEST(Condition, OfLanesItIsThatOfTheFirstThatIsNotFalse) {
    const std::vector<ConditionStep> isNine = {stepOf(Operation::lane), numberOf(9), stepOf(Operation::equal)};
    EXPECT_EQ(conditionOfLanes(isNine, 0xffff'ffff, NumberedView()), 1u);
    EXPECT_EQ(conditionOfLanes(isNine, 0xffff'fdff, NumberedView()), 0u);
    EXPECT_EQ(conditionOfLanes(isNine, 0, NumberedView()), 0u);
    // Lane 20 reads what is not there, and only lanes before it may decide.
    const std::vector<ConditionStep> upToTwenty = {
        stepOf(Operation::lane),       numberOf(50),  stepOf(Operation::multiply),
        stepOf(Operation::memory, 32), numberOf(950), stepOf(Operation::equal)};
    EXPECT_EQ(conditionOfLanes(upToTwenty, 0xffff'ffff, NumberedView()), 1u);
    EXPECT_FALSE(conditionOfLanes(upToTwenty, 0xfff7'ffff, NumberedView()));
    EXPECT_EQ(conditionOfLanes(upToTwenty, 0x0007'ffff, NumberedView()), 0u);
}

}  // namespace
}  // namespace zetl::isa::xe
