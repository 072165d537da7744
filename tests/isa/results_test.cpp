// What instructions leave besides plain lanes, and results of one type made of operands of another: accumulators, flags
// of what is stored, saturation, halves. Found by the reference (tests/isa/reference).
#include <gtest/gtest.h>

#include <cmath>

#include "lone_thread.h"

namespace zetl::test {
namespace {

using isa::Status;

class Results : public testing::Test {
  protected:
    void run(const Code& code, std::uint32_t control = kKeepAll) {
        for (const isa::StepTable* table : usableTables()) {
            prepare();
            t.load(code, 0xffff, {.base = 0x10000}, *table);
            t.setControl(control);
            ASSERT_EQ(t.resume(), Status::done) << table->name << ": " << describe(t.thread().fault);
            check(*table);
        }
    }
    void run(const std::string& assembly, std::uint32_t control = kKeepAll) { run(assembleProgram(assembly), control); }

    static constexpr std::uint32_t kKeepAll = 0x4c0;
    static constexpr std::uint32_t kUp = 0x10;
    static constexpr std::uint32_t kDown = 0x20;

    LoneThread t;
    std::function<void()> prepare = [] {};
    std::function<void(const isa::StepTable&)> check = [](const isa::StepTable&) {};
};

/// The assembler has no condition for mach: bits [95:92], the flag stays f0.0.
Code withCondition(Code code, std::size_t instruction, isa::Condition condition) {
    std::byte& place = code[instruction * 16 + 11];
    place = (place & std::byte{0x0f}) | static_cast<std::byte>(static_cast<int>(condition) << 4);
    return code;
}

TEST_F(Results, TheHighProductSetsFlagsByItself) {
    prepare = [&] {
        t.set(10, std::vector<std::int32_t>{0x40000000, -0x40000000, 3, 0});
        t.set(20, std::vector<std::int32_t>{0x00010000, 0x00010000, 0, 0});
        t.setFlag(0, 0);
    };
    check = [&](const isa::StepTable& table) {
        EXPECT_EQ(t.get<std::int32_t>(40, 4), (std::vector<std::int32_t>{0x4000, -0x4000, 0, 0})) << table.name;
        EXPECT_EQ(t.flag(0), 2u) << table.name;
    };
    const Code code = assembleProgram(
        "mul (4|M0) acc0.0<1>:d r10.0<1;1,0>:d r20.0<2;1,0>:uw\n"
        "mach (4|M0) r40.0<1>:d r10.0<1;1,0>:d r20.0<1;1,0>:d");
    run(withCondition(code, 1, isa::Condition::less));
}

TEST_F(Results, AccumulatorsAreWrittenWithoutADestination) {
    prepare = [&] {
        t.set(10, std::vector<std::uint32_t>{~0u, 1});
        t.set(20, std::vector<std::uint32_t>{1, 2});
    };
    check = [&](const isa::StepTable& table) {
        EXPECT_EQ(t.get<std::uint32_t>(40, 2), (std::vector<std::uint32_t>{1, 0})) << table.name;
        EXPECT_EQ(t.get<std::uint32_t>(41, 2), (std::vector<std::uint32_t>{0, 1})) << table.name;
    };
    run("addc (2|M0) null<1>:ud r10.0<1;1,0>:ud r20.0<1;1,0>:ud\nmov (2|M0) r40.0<1>:ud acc0.0<1;1,0>:ud\n"
        "subb (2|M0) null<1>:ud r10.0<1;1,0>:ud r20.0<1;1,0>:ud\nmov (2|M0) r41.0<1>:ud acc0.0<1;1,0>:ud");
}

TEST_F(Results, TheCarryIsWrittenUnderThePredicateThatWas) {
    prepare = [&] {
        t.set(10, std::vector<std::uint32_t>{~0u});
        t.setFlag(0, 1);
    };
    check = [&](const isa::StepTable& table) { EXPECT_EQ(t.scalar<std::uint32_t>(40), 1u) << table.name; };
    run("(f0.0) addc (1|M0) f0.0<1>:ud r10.0<0;1,0>:ud 0x1:ud\nmov (1|M0) r40.0<1>:ud acc0.0<0;1,0>:ud");
}

TEST_F(Results, HalvesAccumulateHalves) {
    prepare = [&] {
        t.set(10, std::vector<std::uint16_t>{0x3c00, 0x4000, 0x4200, 0x4400});  // 1 to 4
        t.set(20, std::vector<std::uint16_t>(4, 0x4000));
    };
    check = [&](const isa::StepTable& table) {
        EXPECT_EQ(t.get<std::uint16_t>(40, 4), (std::vector<std::uint16_t>{0x4200, 0x4600, 0x4880, 0x4a00}))
            << table.name;  // 3, 6, 9, 12
    };
    run("mov (4|M0) acc0.0<1>:hf r10.0<1;1,0>:hf\nmac (4|M0) r40.0<1>:hf r10.0<1;1,0>:hf r20.0<1;1,0>:hf");
}

TEST_F(Results, WholeNumbersBecomeRealsWithAllTheirBits) {
    prepare = [&] {
        t.set(10, std::vector<std::uint32_t>{3000000000u, 0xffffffffu});
        t.set(20, std::vector<std::uint32_t>{0x80000000u, 2});
    };
    check = [&](const isa::StepTable& table) {
        EXPECT_EQ(t.get<float>(40, 2), (std::vector<float>{3000000000.0f + 0x1p31f, 0x1p32f})) << table.name;
        EXPECT_EQ(t.get<float>(41, 2), (std::vector<float>{3000000000.0f * 0x1p31f, 0x1p33f})) << table.name;
    };
    run("add (2|M0) r40.0<1>:f r10.0<1;1,0>:ud r20.0<1;1,0>:ud\nmul (2|M0) r41.0<1>:f r10.0<1;1,0>:ud r20.0<1;1,0>:ud");
}

TEST_F(Results, SaturationSeesWhatSixtyFourBitsDoNotHold) {
    prepare = [&] {
        t.set(10, std::vector<std::int64_t>{INT64_MAX, INT64_MIN, 5});
        t.set(20, std::vector<std::int64_t>{2, 2, 2});
        t.set(30, std::vector<std::uint64_t>{UINT64_MAX, 1ull << 63, 5});
        t.setFlag(0, 7);
    };
    check = [&](const isa::StepTable& table) {
        EXPECT_EQ(t.get<std::int16_t>(40, 3), (std::vector<std::int16_t>{INT16_MAX, INT16_MIN, 10})) << table.name;
        EXPECT_EQ(t.get<std::int32_t>(41, 3), (std::vector<std::int32_t>{INT32_MAX, INT32_MIN, 7})) << table.name;
        EXPECT_EQ(t.get<std::uint64_t>(42, 3), (std::vector<std::uint64_t>{UINT64_MAX, 1ull << 63, 5})) << table.name;
    };
    run("mul (4|M0) (sat)r40.0<1>:w r10.0<1;1,0>:q r20.0<1;1,0>:q\n"
        "add (4|M0) (sat)r41.0<1>:d r10.0<1;1,0>:q r20.0<1;1,0>:q\n"
        "(f0.0) sel (4|M0) (sat)r42.0<1>:uq r30.0<1;1,0>:uq r20.0<1;1,0>:uq");
}

TEST_F(Results, ProductsInTheAccumulatorAreOfWholeOperands) {
    prepare = [&] {
        t.set(10, std::vector<std::int64_t>{-1, 0x1ffffffffll});
        t.set(20, std::vector<std::int32_t>{5, 3});
    };
    check = [&](const isa::StepTable& table) {
        EXPECT_EQ(t.get<std::int32_t>(40, 2), (std::vector<std::int32_t>{5, -3})) << table.name;
    };
    run("mul (2|M0) acc0.0<1>:d (abs)r10.0<1;1,0>:q r20.0<1;1,0>:d\nmov (2|M0) r40.0<1>:d acc0.0<1;1,0>:d");
}

TEST_F(Results, WholeNumbersOfRealsAreStoredBeforeTheirFlagsAreSet) {
    prepare = [&] {
        t.set(10, std::vector<float>{1e20f, -1e20f, 3});
        t.set(20, std::vector<double>{1e30, -1e30, 3});
    };
    check = [&](const isa::StepTable& table) {
        EXPECT_EQ(t.get<std::uint32_t>(40, 3), (std::vector<std::uint32_t>{~0u, 0, 3})) << table.name;
        EXPECT_EQ(t.get<std::int64_t>(41, 3), (std::vector<std::int64_t>{INT64_MAX, INT64_MIN, 3})) << table.name;
    };
    run("mov (4|M0) (ne)f0.0 r40.0<1>:ud r10.0<1;1,0>:f\nmov (4|M0) (ne)f1.0 r41.0<1>:q r20.0<1;1,0>:df",
        kKeepAll | kDown);
}

TEST_F(Results, FlagsSeeExtendedAndNegatedNumbers) {
    prepare = [&] {
        t.set(10, std::vector<std::uint32_t>{0x80000000});
        t.set(20, std::vector<std::uint64_t>{1ull << 62});
    };
    check = [&](const isa::StepTable& table) {
        EXPECT_EQ(t.flag(0), 1u) << table.name;
        EXPECT_EQ(t.scalar<double>(40), -0x1p62) << table.name;
    };
    run("mov (1|M0) (gt)f0.0 null<1>:q r10.0<0;1,0>:ud\nmov (1|M0) r40.0<1>:df -r20.0<0;1,0>:uq");
}

TEST_F(Results, FlagsOfHalvesSeeFlushedResultsWithoutADestination) {
    prepare = [&] { t.set(10, std::vector<std::uint16_t>(4, 0x0400)); };  // 2^-14; its half is a denormal
    check = [&](const isa::StepTable& table) { EXPECT_EQ(t.flag(0) & 15, 15u) << table.name; };
    run("mul (4|M0) (eq)f0.0 null<1>:hf r10.0<1;1,0>:hf 0x3800:hf", 0xc0);
}

TEST_F(Results, NansOfHalves) {
    prepare = [&] {
        t.set(10, std::vector<std::uint16_t>(16, 0x7d01));  // signalling
        t.set(11, std::vector<std::uint16_t>(16, 0x3c00));
        t.thread().at<std::uint16_t>(isa::layout::kAddress) = 10 * 64;
    };
    check = [&](const isa::StepTable& table) {
        EXPECT_EQ(t.scalar<std::uint32_t>(40), 0x7fe02000u) << table.name;
        EXPECT_EQ(t.scalar<std::uint32_t>(41), 0x7fe02000u) << table.name;
        EXPECT_EQ(t.scalar<std::uint16_t>(42), 0x7d01u) << table.name << ": a move by index";
        EXPECT_EQ(t.scalar<std::uint16_t>(43), 0xff01u) << table.name << ": a constant";
    };
    run("mov (1|M0) r40.0<1>:f r10.0<0;1,0>:hf\nmov (16|M0) r41.0<1>:f r10.0<1;1,0>:hf\n"
        "movi (1|M0) r42.0<1>:hf r[a0.0]<8;8,1>:hf null<1;1,0>:ud\nadd (1|M0) r43.0<1>:hf r11.0<0;1,0>:hf 0xFF01:hf");
}

TEST_F(Results, HalvesOfLargeWholeNumbersFollowTheMode) {
    prepare = [&] { t.set(10, std::vector<std::uint64_t>{1ull << 40, 65505, 65504}); };
    check = [&](const isa::StepTable& table) {
        EXPECT_EQ(t.get<std::uint16_t>(40, 3), (std::vector<std::uint16_t>{0x7bff, 0x7bff, 0x7bff})) << table.name;
        EXPECT_EQ(t.flag(0) & 7, 0u) << table.name;
    };
    run("mov (4|M0) (ov)f0.0 r40.0<1>:hf r10.0<1;1,0>:uq", kKeepAll | kDown);
    check = [&](const isa::StepTable& table) {
        EXPECT_EQ(t.get<std::uint16_t>(40, 3), (std::vector<std::uint16_t>{0x7c00, 0x7c00, 0x7bff})) << table.name;
        EXPECT_EQ(t.flag(0) & 7, 3u) << table.name;
    };
    run("mov (4|M0) (ov)f0.0 r40.0<1>:hf r10.0<1;1,0>:uq", kKeepAll | kUp);
}

TEST_F(Results, ShiftsJudgeOverflowByTheCountThatTheyUse) {
    prepare = [&] {
        t.set(10, std::vector<std::int32_t>{1, 1});
        t.set(20, std::vector<std::uint64_t>{32, 64});
    };
    check = [&](const isa::StepTable& table) { EXPECT_EQ(t.flag(0) & 3, 1u) << table.name; };
    run("shl (2|M0) (ov)f0.0 r40.0<1>:d r10.0<1;1,0>:d r20.0<1;1,0>:uq");
}

TEST_F(Results, LogarithmsAndPowersFlushDenormals) {
    prepare = [&] {
        t.set(10, std::vector<std::uint32_t>{0x007fffff, 0x00000001});
        t.set(20, std::vector<float>{0.5f, 2});
    };
    check = [&](const isa::StepTable& table) {
        EXPECT_EQ(t.get<float>(40, 2), (std::vector<float>{-INFINITY, -INFINITY})) << table.name;
        EXPECT_EQ(t.get<float>(41, 2), (std::vector<float>{0, 0})) << table.name;
    };
    Code code = assembleProgram(
        "math.log (2|M0) r40.0<1>:f r10.0<1;1,0>:f\n"
        "mul (2|M0) r41.0<1>:f r10.0<1;1,0>:f r20.0<1;1,0>:f");
    code[16] = std::byte{0x38};  // math.pow, which the assembler lacks
    code[16 + 11] |= std::byte{0xa0};
    run(code, 0);
}

}  // namespace
}  // namespace zetl::test
