// cr0: rounding and denormals of f, df and hf, each by itself; halves rounded once.
#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>

#include "emulator/isa/code.h"
#include "half.h"
#include "lone_thread.h"

namespace zetl::test {
namespace {

using isa::Status;

/// Sets cr0.0 as compilers do, then executes the instructions.
std::string withControl(unsigned bits, const std::string& body) {
    return "(W) mov (1|M0) cr0.0<1>:ud 0x0:ud\n(W) or (1|M0) cr0.0<1>:ud cr0.0<0;1,0>:ud 0x" +
           [&] {
               char hex[16];
               snprintf(hex, sizeof hex, "%X", bits);
               return std::string(hex);
           }() +
           ":uw\n" + body;
}
constexpr unsigned kKeepDouble = 0x40;
constexpr unsigned kKeepSingle = 0x80;
constexpr unsigned kKeepHalf = 0x400;
constexpr float kTiny = 1e-40f;
constexpr double kTinyDouble = 1e-310;

TEST(FloatMode, DirectedRoundingOfSumsAndConversions) {
    const struct {
        unsigned bits;
        float sum;
        float converted;
    } modes[] = {{0x00, 1.0f, 16777216.0f},
                 {0x10, std::nextafter(1.0f, 2.0f), 16777218.0f},
                 {0x20, 1.0f, 16777216.0f},
                 {0x30, 1.0f, 16777216.0f}};
    for (const auto& m : modes) {
        LoneThread t;
        t.set(10, std::vector<float>(16, 1.0f));
        t.set(20, std::vector<float>(16, 1e-10f));
        t.set(30, std::vector<std::int32_t>(16, 16777217));
        ASSERT_EQ(t.run(assembleProgram(withControl(m.bits | 0x4c0,
                                                    "add (16|M0) r40.0<1>:f r10.0<1;1,0>:f r20.0<1;1,0>:f\n"
                                                    "mov (16|M0) r41.0<1>:f r30.0<1;1,0>:d"))),
                  Status::done);
        EXPECT_EQ(t.scalar<float>(40, 5), m.sum) << m.bits;
        EXPECT_EQ(t.scalar<float>(41, 5), m.converted) << m.bits;
    }
    EXPECT_EQ(fegetround(), FE_TONEAREST);
}

TEST(FloatMode, RoundToNearestEvenIgnoresTheMode) {
    LoneThread t;
    t.set(10, std::vector<float>{2.5f, 3.5f, -2.5f, 0.5f});
    ASSERT_EQ(t.run(assembleProgram(withControl(0x4d0, "rnde (4|M0) r40.0<1>:f r10.0<1;1,0>:f"))), Status::done);
    EXPECT_EQ(t.get<float>(40, 4), (std::vector<float>{2, 4, -2, 0}));
}

// oneMKL's matrix products find their block of the result by a division that relies on it.
TEST(FloatMode, IntegersOfRealsAreRoundedOnRequest) {
    constexpr unsigned kRoundIntegers = 0x1000;
    const struct {
        unsigned bits;
        std::vector<std::int32_t> integers;
        std::vector<std::int32_t> sums;  ///< with 0.25
    } modes[] = {{0x00, {0, 1, 2, -1, -2, 2}, {0, 1, 2, -1, -2, 3}},
                 {0x30, {0, 1, 2, -1, -2, 2}, {0, 1, 2, -1, -2, 3}},
                 {kRoundIntegers | 0x00, {0, 2, 2, -2, -2, 3}, {1, 2, 3, -1, -2, 3}},
                 {kRoundIntegers | 0x10, {1, 2, 3, -1, -2, 3}, {1, 2, 3, -1, -2, 3}},
                 {kRoundIntegers | 0x20, {0, 1, 2, -2, -3, 2}, {0, 1, 2, -2, -3, 3}},
                 {kRoundIntegers | 0x30, {0, 1, 2, -1, -2, 2}, {0, 1, 2, -1, -2, 3}}};
    const std::vector<double> reals{0.5, 1.5, 2.5, -1.5, -2.5, 2.75};
    for (const auto& mode : modes) {
        LoneThread t;
        t.set(10, std::vector<float>(reals.begin(), reals.end()));
        t.set(20, reals);
        ASSERT_EQ(t.run(assembleProgram(withControl(mode.bits | 0x4c0,
                                                    "mov (8|M0) r40.0<1>:d r10.0<1;1,0>:f\n"
                                                    "mov (8|M0) r41.0<1>:d r20.0<1;1,0>:df\n"
                                                    "mov (8|M0) r42.0<1>:hf r10.0<1;1,0>:f\n"
                                                    "mov (8|M0) r43.0<1>:w r42.0<1;1,0>:hf\n"
                                                    "add (8|M0) (lt)f0.0 r44.0<1>:d r10.0<1;1,0>:f 0.25:f\n"
                                                    "mov (8|M0) r45.0<1>:f r10.0<1;1,0>:f"))),
                  Status::done);
        EXPECT_EQ(t.get<std::int32_t>(40, 6), mode.integers) << mode.bits;
        EXPECT_EQ(t.get<std::int32_t>(41, 6), mode.integers) << mode.bits;
        const auto words = t.get<std::int16_t>(43, 6);
        EXPECT_EQ(std::vector<std::int32_t>(words.begin(), words.end()), mode.integers) << mode.bits;
        EXPECT_EQ(t.get<std::int32_t>(44, 6), mode.sums) << mode.bits;
        EXPECT_EQ(t.get<float>(10, 6), std::vector<float>(reals.begin(), reals.end())) << "a source";
        EXPECT_EQ(t.get<float>(45, 6), std::vector<float>(reals.begin(), reals.end())) << "no integers";
    }
}

TEST(FloatMode, DenormalsOfSinglesAndDoublesAreSeparate) {
    for (const unsigned bits : {0u, kKeepSingle, kKeepDouble, kKeepSingle | kKeepDouble}) {
        LoneThread t;
        t.set(10, std::vector<float>(16, kTiny));
        t.set(20, std::vector<double>(16, kTinyDouble));
        ASSERT_EQ(t.run(assembleProgram(withControl(bits,
                                                    "add (16|M0) r40.0<1>:f r10.0<1;1,0>:f r10.0<1;1,0>:f\n"
                                                    "add (16|M0) r42.0<1>:df r20.0<1;1,0>:df r20.0<1;1,0>:df\n"
                                                    "add (16|M0) r44.0<1>:f r10.0<1;1,0>:f r10.0<1;1,0>:f"))),
                  Status::done);
        EXPECT_EQ(t.scalar<float>(40, 3), bits & kKeepSingle ? kTiny + kTiny : 0.0f) << bits;
        EXPECT_EQ(t.scalar<double>(42, 3), bits & kKeepDouble ? kTinyDouble + kTinyDouble : 0.0) << bits;
        EXPECT_EQ(t.scalar<float>(44, 3), bits & kKeepSingle ? kTiny + kTiny : 0.0f) << bits;
    }
}

TEST(FloatMode, DenormalsOfHalves) {
    for (const unsigned keep : {0u, kKeepHalf}) {
        LoneThread t;
        t.set(10, std::vector<std::uint16_t>(16, 0x0010));
        t.set(20, std::vector<float>(16, 0x1p-20f));
        ASSERT_EQ(t.run(assembleProgram(
                      withControl(0xc0 | keep,
                                  "add (16|M0) r40.0<1>:hf r10.0<1;1,0>:hf r10.0<1;1,0>:hf\n"
                                  "mov (16|M0) r41.0<2>:hf r20.0<1;1,0>:f\nmov (16|M0) r42.0<1>:hf r10.0<1;1,0>:hf"))),
                  Status::done);
        EXPECT_EQ(t.scalar<std::uint16_t>(40, 3), keep ? 0x20 : 0);
        EXPECT_EQ(t.scalar<std::uint16_t>(41, 6), keep ? 0x10 : 0);
        EXPECT_EQ(t.scalar<std::uint16_t>(42, 3), 0x10) << "moves keep bits";
    }
}

TEST(FloatMode, ConstantsBecomeHalvesWhereDenormalsAreFlushed) {
    LoneThread t;
    for (int twice = 0; twice < 2; ++twice) {
        ASSERT_EQ(t.run(assembleProgram(withControl(0xc0,
                                                    "mov (16|M0) r40.0<1>:hf 0x35800000:f\n"
                                                    "mov (16|M0) r41.0<1>:hf 0x3F800000:f"))),
                  Status::done);
        EXPECT_EQ(t.scalar<std::uint16_t>(40, 3), 0);
        EXPECT_EQ(t.scalar<std::uint16_t>(41, 3), 0x3c00);
    }
}

TEST(FloatMode, ProductSumsOfHalvesRoundOnce) {
    // 1.0009765625 * 1.0009765625 = 1.00195407867..., half way between two halves once 2^-24 is missing.
    LoneThread t;
    const double b = 1 + 0x1p-10;
    const double c = 1 + 0x1p-10;
    const double a = -0x1p-20 + 0x1p-24;
    t.set(10, std::vector<std::uint16_t>(16, doubleToHalf(a)));
    t.set(20, std::vector<std::uint16_t>(16, doubleToHalf(b)));
    t.set(30, std::vector<std::uint16_t>(16, doubleToHalf(c)));
    for (const isa::StepTable* table : usableTables()) {
        t.load(assembleProgram("mad (16|M0) r40.0<1>:hf r10.0<1;0>:hf r20.0<1;0>:hf r30.0<1>:hf"), 0xffff,
               {.base = 0x10000}, *table);
        ASSERT_EQ(t.resume(), Status::done);
        EXPECT_EQ(t.scalar<std::uint16_t>(40, 3), doubleToHalf(b * c + a)) << table->name;
    }
}

TEST(FloatMode, EveryHalfSurvivesTheWayThroughSingles) {
    for (const isa::StepTable* table : usableTables()) {
        LoneThread t;
        for (unsigned first = 0; first < 0x10000; first += 16) {
            std::vector<std::uint16_t> in(16);
            for (unsigned i = 0; i < 16; ++i) in[i] = static_cast<std::uint16_t>(first + i);
            if (first == 0)
                t.load(
                    assembleProgram("mov (16|M0) r40.0<1>:f r10.0<1;1,0>:hf\nmov (16|M0) r41.0<1>:hf r40.0<1;1,0>:f\n"
                                    "mov (16|M0) r42.0<1>:df r10.0<1;1,0>:hf\nmov (16|M0) r44.0<1>:hf r42.0<1;1,0>:df"),
                    0xffff, {.base = 0x10000}, *table);
            else
                t.thread().enter(t.program(), 0x10000);
            t.set(10, in);
            ASSERT_EQ(t.resume(), Status::done);
            const auto single = t.get<float>(40, 16);
            const auto back = t.get<std::uint16_t>(41, 16);
            const auto backDouble = t.get<std::uint16_t>(44, 16);
            for (unsigned i = 0; i < 16; ++i) {
                const bool nan = (in[i] & 0x7fff) > 0x7c00;
                ASSERT_TRUE(nan ? std::isnan(single[i]) : single[i] == static_cast<float>(halfToDouble(in[i])))
                    << table->name << ' ' << in[i];
                ASSERT_EQ(nan ? back[i] | 0x200 : back[i], nan ? in[i] | 0x200 : in[i]) << table->name;
                ASSERT_EQ(nan ? backDouble[i] | 0x200 : backDouble[i], nan ? in[i] | 0x200 : in[i]) << table->name;
            }
        }
    }
}

TEST(FloatMode, OverflowingHalvesFollowTheMode) {
    for (const isa::StepTable* table : usableTables())
        for (const unsigned mode : {0x00u, 0x10u, 0x20u, 0x30u}) {
            LoneThread t;
            t.set(10, std::vector<float>{1e6f, -1e6f, INFINITY, 65519.0f, 65520.0f});
            t.load(assembleProgram(
                       withControl(mode | 0x4c0,
                                   "mov (8|M0) r40.0<1>:hf r10.0<1;1,0>:f\nmov (8|M0) r50.0<1>:df r10.0<1;1,0>:f\n"
                                   "mov (8|M0) r41.0<1>:hf r50.0<1;1,0>:df")),
                   0xff, {.base = 0x10000}, *table);
            ASSERT_EQ(t.resume(), Status::done);
            const bool up = mode == 0x00 || mode == 0x10;
            const bool down = mode == 0x00 || mode == 0x20;
            const std::vector<std::uint16_t> want = {
                std::uint16_t(up ? 0x7c00 : 0x7bff), std::uint16_t(down ? 0xfc00 : 0xfbff), 0x7c00,
                std::uint16_t(mode == 0x10 ? 0x7c00 : 0x7bff), std::uint16_t(up ? 0x7c00 : 0x7bff)};
            EXPECT_EQ(t.get<std::uint16_t>(40, 5), want) << table->name << " mode " << mode;
            EXPECT_EQ(t.get<std::uint16_t>(41, 5), want) << table->name << " mode " << mode;
        }
}

// What a kernel asks of cr0 makes no difference to how another one of its module is lowered.
TEST(FloatTraits, AreThoseOfAKernelWithItsFunctions) {
    const std::string add = "add (16|M0) r40.0<1>:hf r10.0<1;1,0>:hf r12.0<1;1,0>:hf\n";
    const Code keeps = assembleProgram("(W) or (1|M0) cr0.0<1>:ud cr0.0<0;1,0>:ud 0x4c0:uw\n" + add);
    const Code rounds = assembleProgram(
        "(W) or (1|M0) cr0.0<1>:ud cr0.0<0;1,0>:ud 0x10c0:uw\ncall (16|M0) r60.0 L1\n"
        "(W) jmpi L2\nL1:\n" +
        add + "ret (16|M0) r60.0\nL2:\n" + add);
    Code both = keeps;
    both.insert(both.end(), rounds.begin(), rounds.end());
    const auto program = isa::lower(both, {.base = 0x10000});
    const isa::Traits& traits = program->code().traits;
    const isa::Line second = program->lineAt(0x10000 + static_cast<std::uint32_t>(keeps.size()));
    for (isa::Line line = 0; line < program->lineCount(); ++line) {
        EXPECT_EQ(traits.flushHalf[line], line >= second) << line;
        EXPECT_EQ(traits.roundIntegers[line], line >= second) << line;
    }
    const Code anywhere = assembleProgram("jmpi (1|M0) r50.0");
    both.insert(both.end(), anywhere.begin(), anywhere.end());
    EXPECT_TRUE(isa::lower(both, {.base = 0x10000})->code().traits.roundIntegers[0]) << "any line may follow";
}

}  // namespace
}  // namespace zetl::test
