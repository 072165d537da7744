// Functions of the mathematics unit: the same bits by every table, in every mode, in any lane; how precise they are;
// numbers with a result of their own.
#include <gtest/gtest.h>
#include <immintrin.h>

#include <bit>
#include <cmath>
#include <limits>

#include "emulator/isa/float_mode.h"
#include "lone_thread.h"
#include "math_lanes.h"

namespace zetl::test {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kDenormal = 0x1p-140f;

/// The host's rounding and denormals, as threads set them.
class HostMode {
  public:
    explicit HostMode(unsigned bits) { _mm_setcsr(isa::kHostExceptions | bits); }
    ~HostMode() { _mm_setcsr(saved_); }

  private:
    unsigned saved_ = _mm_getcsr();
};
constexpr unsigned kRoundings[] = {_MM_ROUND_NEAREST, _MM_ROUND_DOWN, _MM_ROUND_UP, _MM_ROUND_TOWARD_ZERO};

/// Every `step`th pattern of bits.
std::vector<float> floatsApart(std::uint32_t step) {
    std::vector<float> list;
    for (std::uint64_t bits = 0; bits < 1ull << 32; bits += step)
        list.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    return list;
}
std::vector<std::uint32_t> bitsOf(const std::vector<float>& list) {
    std::vector<std::uint32_t> bits;
    for (const float v : list) bits.push_back(std::bit_cast<std::uint32_t>(v));
    return bits;
}

void expectSameBits(int function, std::span<const float> a, std::span<const float> b) {
    const std::vector<std::uint32_t> wanted = bitsOf(MathLanes(*isa::findTable("sse4"), function).oneByOne(a, b));
    for (const isa::StepTable* table : usableTables()) {
        MathLanes lanes(*table, function);
        ASSERT_TRUE(bitsOf(lanes.of(a, b)) == wanted) << function << " on " << table->name;
        ASSERT_TRUE(bitsOf(lanes.oneByOne(a, b)) == wanted) << function << " on " << table->name;
    }
}

TEST(MathFunctions, AllTablesMakeTheSameBitsInEveryMode) {
    const std::vector<float> a = floatsApart(299993);
    std::vector<float> b = floatsApart(299993);
    std::ranges::reverse(b);
    for (const unsigned rounding : kRoundings)
        for (const unsigned flush : {0u, isa::kHostFlushes}) {
            const HostMode mode(rounding | flush);
            for (const MathFunction& f : mathFunctions()) expectSameBits(f.number, a, {});
            expectSameBits(kMathPow, a, b);
        }
}

TEST(MathFunctions, AreNearlyAlwaysCorrectlyRounded) {
    const std::vector<float> a = floatsApart(99991);
    for (const MathFunction& f : mathFunctions()) {
        const std::vector<float> got = MathLanes(isa::hostTable(), f.number).of(a);
        for (std::size_t i = 0; i < a.size(); ++i)
            ASSERT_LE(errorInPlaces(got[i], f.precise(a[i])), 0.50001L)
                << f.name << " of " << a[i] << " gave " << got[i];
    }
}

TEST(MathFunctions, PowersAreNearlyAlwaysCorrectlyRounded) {
    std::vector<float> a;
    std::vector<float> b;
    for (float base = 0x1p-140f; base < 0x1p127f; base *= 1.37f)
        for (const float exponent : {-60.7f, -3.0f, -1.0f, -0.01f, 0.3f, 0.5f, 1.7f, 2.0f, 7.9f, 41.1f}) {
            a.push_back(base);
            b.push_back(exponent);
        }
    const std::vector<float> got = MathLanes(isa::hostTable(), kMathPow).of(a, b);
    for (std::size_t i = 0; i < a.size(); ++i)
        ASSERT_LE(errorInPlaces(got[i], std::pow(static_cast<long double>(a[i]), static_cast<long double>(b[i]))),
                  0.50001L)
            << a[i] << " to " << b[i] << " gave " << got[i];
}

TEST(MathFunctions, DirectedRoundingIsOfTheResult) {
    const std::vector<float> a = floatsApart(99991);
    for (const MathFunction& f : mathFunctions()) {
        MathLanes lanes(isa::hostTable(), f.number);
        const auto in = [&](unsigned rounding) {
            const HostMode mode(rounding);
            return lanes.of(a);
        };
        const std::vector<float> down = in(_MM_ROUND_DOWN);
        const std::vector<float> up = in(_MM_ROUND_UP);
        std::size_t different = 0;
        for (std::size_t i = 0; i < a.size(); ++i) {
            if (std::isnan(down[i])) continue;
            ASSERT_LE(down[i], up[i]) << f.name << " of " << a[i];
            ASSERT_LE(errorInPlaces(down[i], f.precise(a[i])), 1.00001L) << f.name << " of " << a[i];
            ASSERT_LE(errorInPlaces(up[i], f.precise(a[i])), 1.00001L) << f.name << " of " << a[i];
            different += down[i] != up[i];
        }
        EXPECT_GT(different, a.size() / 32) << f.name;
    }
}

// The neighbours of multiples of a quarter turn are those where reduction loses most; no float is nearer to
// one than the third.
TEST(MathFunctions, AnglesOfAnySizeAreReducedExactly) {
    std::vector<float> a{0x1p19f, -0x1p19f, 16367173 * 0x1p72f, std::numeric_limits<float>::max()};
    for (const float quarter : {1.57079632679f, 0x1.921fb6p10f, 0x1.921fb6p17f, 0x1.921fb6p18f, 0x1.921fb6p19f,
                                0x1.921fb6p26f, 0x1.921fb6p80f}) {
        a.push_back(quarter);
        a.push_back(-std::nextafter(quarter, 0.0f));
        a.push_back(std::nextafter(quarter, kInfinity));
    }
    for (float v = 0x1p18f; v < 0x1p127f; v *= 1.01f) a.push_back(v);
    for (const MathFunction& f : mathFunctions()) {
        if (f.name != "sin" && f.name != "cos") continue;
        const std::vector<float> got = MathLanes(isa::hostTable(), f.number).of(a);
        for (std::size_t i = 0; i < a.size(); ++i)
            EXPECT_LE(errorInPlaces(got[i], f.precise(a[i])), 0.50001L)
                << f.name << " of " << a[i] << " gave " << got[i];
    }
}

struct Special {
    int function;
    float argument;
    float result;
};
constexpr int kLog = 2;
constexpr int kExp = 3;
constexpr int kSin = 6;
constexpr int kCos = 7;
constexpr int kTanh = 16;
constexpr int kSigm = 17;
constexpr Special kSpecial[] = {
    {kLog, 0, -kInfinity},
    {kLog, -0.0f, -kInfinity},
    {kLog, 1, 0},
    {kLog, 0x1p-149f, -149},
    {kLog, 8, 3},
    {kLog, kInfinity, kInfinity},
    {kLog, -1, kNan},
    {kLog, -kInfinity, kNan},
    {kLog, kNan, kNan},
    {kExp, 0, 1},
    {kExp, -0.0f, 1},
    {kExp, 127, 0x1p127f},
    {kExp, -149, 0x1p-149f},
    {kExp, kInfinity, kInfinity},
    {kExp, -kInfinity, 0},
    {kExp, kNan, kNan},
    {kSin, 0, 0},
    {kSin, -0.0f, -0.0f},
    {kSin, kDenormal, kDenormal},
    {kSin, kInfinity, kNan},
    {kSin, kNan, kNan},
    {kCos, 0, 1},
    {kCos, -kInfinity, kNan},
    {kCos, kNan, kNan},
    {kTanh, 0, 0},
    {kTanh, -0.0f, -0.0f},
    {kTanh, -kDenormal, -kDenormal},
    {kTanh, kInfinity, 1},
    {kTanh, -kInfinity, -1},
    {kTanh, kNan, kNan},
    {kSigm, 0, 0.5f},
    {kSigm, kInfinity, 1},
    {kSigm, -kInfinity, 0},
    {kSigm, kNan, kNan},
};

void expectResult(float got, float wanted, const std::string& what) {
    if (std::isnan(wanted))
        EXPECT_TRUE(std::isnan(got)) << what << " gave " << got;
    else
        EXPECT_EQ(std::bit_cast<std::uint32_t>(got), std::bit_cast<std::uint32_t>(wanted)) << what << " gave " << got;
}

// What is exact is so in every mode.
TEST(MathFunctions, SpecialNumbersHaveTheirResults) {
    for (const unsigned rounding : kRoundings) {
        const HostMode mode(rounding);
        for (const Special& s : kSpecial) {
            const bool isExact = s.argument != kDenormal && s.argument != -kDenormal;
            if (!isExact && rounding != _MM_ROUND_NEAREST) continue;
            const std::vector<float> a(32, s.argument);
            expectResult(MathLanes(isa::hostTable(), s.function).of(a)[17], s.result,
                         std::to_string(s.function) + " of " + std::to_string(s.argument));
        }
    }
}

TEST(MathFunctions, NumbersThatAreNoneKeepTheirBits) {
    const std::vector<float> a(32, std::bit_cast<float>(0x7f812345));
    for (const MathFunction& f : mathFunctions())
        EXPECT_EQ(bitsOf(MathLanes(isa::hostTable(), f.number).of(a))[0] & 0x7fffffff, 0x7fc12345u) << f.name;
}

TEST(MathFunctions, DenormalsAreZeroIfTheModeSaysSo) {
    const HostMode mode(isa::kHostFlushes);
    const auto of = [](int function, float v) {
        return MathLanes(isa::hostTable(), function).of(std::vector<float>(32, v))[3];
    };
    expectResult(of(kLog, kDenormal), -kInfinity, "log");
    expectResult(of(kExp, -130), 0, "exp");
    expectResult(of(kSin, -kDenormal), -0.0f, "sin");
    expectResult(of(kTanh, kDenormal), 0, "tanh");
}

TEST(MathFunctions, PowersOfSpecialNumbers) {
    const struct {
        float base, exponent, result;
    } kCases[] = {{2, 3, 8},
                  {-2, 3, 8},
                  {3, 4, 81},
                  {9, 0.5f, 3},
                  {0, 2, 0},
                  {0, -1, kInfinity},
                  {0, 0, 1},
                  {kInfinity, 0, 1},
                  {kInfinity, -1, 0},
                  {kInfinity, 2, kInfinity},
                  {1, kInfinity, 1},
                  {1, kNan, 1},
                  {kNan, 0, 1},
                  {kNan, 1, kNan},
                  {2, kNan, kNan},
                  {0.5f, kInfinity, 0},
                  {0.5f, -kInfinity, kInfinity},
                  {2, -kInfinity, 0},
                  {2, 200, kInfinity},
                  {2, -200, 0},
                  {0, -0.0f, 1},
                  {-1, 2.5f, 1}};
    for (const auto& c : kCases)
        expectResult(MathLanes(isa::hostTable(), kMathPow)
                         .of(std::vector<float>(32, c.base), std::vector<float>(32, c.exponent))[9],
                     c.result, std::to_string(c.base) + " to " + std::to_string(c.exponent));
}

// A far angle changes how its own lane is computed, and no other's.
TEST(MathFunctions, NeighboursOfAFarAngleKeepTheirBits) {
    std::vector<float> a;
    for (int i = 0; i < 32; ++i) a.push_back(static_cast<float>(i) * 0.77f);
    const MathFunction& sine = mathFunctions()[2];
    MathLanes lanes(isa::hostTable(), sine.number);
    const std::vector<float> near = lanes.of(a);
    a[5] = 1e30f;
    const std::vector<float> mixed = lanes.of(a);
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(near[i] == mixed[i], i != 5) << i;
    EXPECT_LE(errorInPlaces(mixed[5], sine.precise(a[5])), 0.50001L);
}

}  // namespace
}  // namespace zetl::test
