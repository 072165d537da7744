// Equations: order of operations, conversions, what is refused.
#include "metrics/calculation/equation.h"

#include <gtest/gtest.h>

#include <cstring>

#include "metrics/calculation/calculator.h"

namespace zetl::metrics {
namespace {

constexpr std::uint64_t kMost = UINT64_MAX;

/// A descriptor of two 64-bit numbers, A and B, in reports that are rows.
Descriptor twoNumbers() {
    Descriptor descriptor;
    descriptor.name = "Test";
    descriptor.reportBytes = 24;
    descriptor.clock = {1'000'000'000, 64};
    descriptor.time = {.name = "Time", .kind = Kind::last, .offset = 0};
    descriptor.fields = {{.name = "A", .offset = 8}, {.name = "B", .offset = 16}};
    descriptor.symbols = {{"Engines", 8}};
    return descriptor;
}

zet_typed_value_t valueOf(const std::string& equation, std::uint64_t a, std::uint64_t b, zet_value_type_t type) {
    auto descriptor = twoNumbers();
    descriptor.columns = {{.name = "First", .equation = "$A 1 UADD"},
                          {.name = "It", .value = type, .equation = equation}};
    const Calculator calculator(std::move(descriptor));
    const std::uint64_t report[] = {0, a, b};
    zet_typed_value_t values[2];
    calculator.calculate(ZET_METRIC_GROUP_CALCULATION_TYPE_METRIC_VALUES, std::as_bytes(std::span(report)), 1, values);
    EXPECT_EQ(values[1].type, type);
    return values[1];
}
std::uint64_t whole(const std::string& equation, std::uint64_t a = 0, std::uint64_t b = 0) {
    return valueOf(equation, a, b, ZET_VALUE_TYPE_UINT64).value.ui64;
}
float real(const std::string& equation, std::uint64_t a = 0, std::uint64_t b = 0) {
    return valueOf(equation, a, b, ZET_VALUE_TYPE_FLOAT32).value.fp32;
}

TEST(Equations, IntegersAreOf64BitsAndWrap) {
    EXPECT_EQ(whole("$A $B UADD", 2, 3), 5u);
    EXPECT_EQ(whole("$A $B USUB", 2, 3), kMost);
    EXPECT_EQ(whole("$A $B UMUL", std::uint64_t{1} << 63, 3), std::uint64_t{1} << 63);
    EXPECT_EQ(whole("$A $B UDIV", kMost, 10), kMost / 10);
    EXPECT_EQ(whole("$A $B UMIN $A $B UMAX USUB", 9, 4), std::uint64_t{4} - 9);
    EXPECT_EQ(whole("$A 0x0F AND $B 4 << OR 1 XOR", 0x12, 3), 0x33u);
    EXPECT_EQ(whole("$A 64 <<", 1) + whole("$A 64 >>", 1) + whole("$A $B >>", 1, kMost), 0u);
}

TEST(Equations, ComparisonsGiveOneOrZero) {
    for (const auto& [op, less, same, more] : {std::tuple{"==", 0u, 1u, 0u},
                                               {"!=", 1u, 0u, 1u},
                                               {"<", 1u, 0u, 0u},
                                               {">", 0u, 0u, 1u},
                                               {"<=", 1u, 1u, 0u},
                                               {">=", 0u, 1u, 1u}}) {
        const auto text = std::string("$A $B ") + op;
        EXPECT_EQ(whole(text, 1, 2), less) << op;
        EXPECT_EQ(whole(text, 2, 2), same) << op;
        EXPECT_EQ(whole(text, kMost, 2), more) << op;
    }
}

TEST(Equations, DivisionByZeroIsZero) {
    EXPECT_EQ(whole("$A $B UDIV", 5, 0), 0u);
    EXPECT_EQ(real("$A $B FDIV", 5, 0), 0.0f);
    EXPECT_EQ(real("$A $B FDIV", 0, 0), 0.0f);
}

/// Each step is rounded to float32, in the order in which it is written.
TEST(Equations, RealsAreRoundedStepByStepInOrder) {
    // the first that float32 lacks
    const std::uint64_t a = 16777217;
    const std::uint64_t b = 3;
    EXPECT_EQ(real("$A", a), 16777216.0f);
    EXPECT_EQ(real("$A $B FDIV 100 FMUL", 1, b), 1.0f / 3.0f * 100.0f);
    EXPECT_EQ(real("$A 100 FMUL $B FDIV", 1, b), 100.0f / 3.0f);
    EXPECT_NE(real("$A $B FDIV 100 FMUL", 1, b), real("$A 100 FMUL $B FDIV", 1, b));
    // Before the conversion integers keep all their bits.
    EXPECT_EQ(real("$A 16777216 USUB", a), 1.0f);
    EXPECT_EQ(real("$A 16777216 FSUB", a), 0.0f);
    EXPECT_EQ(real("$A", kMost), 18446744073709551616.0f);
    EXPECT_EQ(real("$A 1.5 FADD $B FMAX 7.25 FMIN", 1, 9), 7.25f);
}

TEST(Equations, RealsBecomeIntegersByCuttingOff) {
    EXPECT_EQ(whole("2.75"), 2u);
    EXPECT_EQ(whole("0 $A FSUB", 3), 0u);
    EXPECT_EQ(whole("$A 2 FMUL", kMost), kMost);
    EXPECT_EQ(whole("$A 2 FDIV 1 UADD", 5), 3u);
}

TEST(Equations, NamesAreInputsSymbolsTimesAndColumnsFurtherLeft) {
    EXPECT_EQ(whole("$Engines $$First UMUL", 4), 40u);
    EXPECT_EQ(whole("$ElapsedTime"), 0u);
    EXPECT_THROW(whole("$$It"), DescriptionError);
    EXPECT_THROW(whole("$C"), DescriptionError);
}

TEST(Equations, TypesOfResults) {
    EXPECT_EQ(valueOf("$A", 0x1'0000'0007, 0, ZET_VALUE_TYPE_UINT32).value.ui64, 7u);
    EXPECT_EQ(valueOf("$A", 0x100, 0, ZET_VALUE_TYPE_BOOL8).value.ui64, 1u);
    EXPECT_EQ(valueOf("$A 4 FDIV", 3, 0, ZET_VALUE_TYPE_FLOAT64).value.fp64, 0.75);
}

TEST(Equations, WhatIsNoEquationIsRefused) {
    for (const char* text : {"$A $B", "UADD", "$A UADD", "$A $B PLUS", "12x", "nan", "inf", "1e999", "$", "$$", "0x",
                             "99999999999999999999 UADD"})
        EXPECT_THROW(whole(text), DescriptionError) << text;
    std::string deep;
    for (int i = 0; i < 1000; ++i) deep += "$A ";
    EXPECT_THROW(whole(deep), DescriptionError);
}

TEST(Equations, WhatEquationsHaveInCommonIsComputedOnce) {
    Program program;
    const Program::Names names{.operand = [&](std::string_view) { return program.add(Node{.op = Operator::input}); },
                               .column = [](std::string_view) { return std::optional<std::uint32_t>(); }};
    const auto first = program.add("$A 8 UMUL 100 FDIV", names);
    const auto nodes = program.nodes().size();
    EXPECT_EQ(program.add("$A 8 UMUL 100 FDIV", names), first);
    program.add("$A 8 UMUL 200 FDIV", names);
    EXPECT_EQ(program.nodes().size(), nodes + 3) << "the constant, its float32 and the quotient";
    EXPECT_EQ(operandsOf("$A $B UADD $$C $A"), (std::vector<std::string>{"A", "B"}));
}

}  // namespace
}  // namespace zetl::metrics
