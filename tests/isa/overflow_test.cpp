// Condition ov against the host compiler's checked arithmetic, which is exact for all integer types, and against what
// infinity says for reals; accumulators that follow their destination's place in its register.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "lone_thread.h"

namespace zetl::test {
namespace {

using isa::Status;
constexpr unsigned kLanes = 16;

template <class T>
constexpr const char* nameOfType() {
    constexpr bool negative = std::is_signed_v<T>;
    return sizeof(T) == 1   ? (negative ? "b" : "ub")
           : sizeof(T) == 2 ? (negative ? "w" : "uw")
           : sizeof(T) == 4 ? (negative ? "d" : "ud")
                            : (negative ? "q" : "uq");
}
template <class T>
std::vector<T> edges(unsigned first) {
    using L = std::numeric_limits<T>;
    const T list[] = {T(0),
                      T(1),
                      T(2),
                      T(3),
                      T(7),
                      T(L::max() / 2),
                      T(L::max() / 2 + 1),
                      T(L::max() - 1),
                      L::max(),
                      L::min(),
                      T(L::min() + 1),
                      T(L::min() / 2),
                      T(0x55)};
    std::vector<T> lanes;
    for (unsigned i = 0; i < kLanes; ++i) lanes.push_back(list[(first + i) % std::size(list)]);
    return lanes;
}

/// Flag bits of one instruction with sources in r10 and r20.
class Overflow : public testing::Test {
  protected:
    std::uint32_t flags(const std::string& assembly, std::uint32_t lanes = 0xffff) {
        t.setFlag(0, 0);
        EXPECT_EQ(t.run(assembleProgram(assembly), lanes), Status::done)
            << assembly << ": " << describe(t.thread().fault);
        return t.flag(0);
    }
    template <class T, class F>
    void check(const std::string& assembly, F overflows) {
        const Code code = assembleProgram(assembly);
        for (unsigned shift = 0; shift < 13; ++shift) {
            const auto a = edges<T>(0);
            const auto b = edges<T>(shift);
            t.set(10, a);
            t.set(20, b);
            t.setFlag(0, 0);
            ASSERT_EQ(t.run(code), Status::done) << assembly << ": " << describe(t.thread().fault);
            for (unsigned i = 0; i < kLanes; ++i)
                EXPECT_EQ(t.flag(0) >> i & 1, std::uint32_t{overflows(a[i], b[i])})
                    << assembly << " of " << +a[i] << " and " << +b[i];
        }
    }
    template <class T>
    void checkType() {
        const std::string type = nameOfType<T>();
        const std::string operands = " (16|M0) (ov)f0.0 r40.0<1>:" + type + " r10.0<1;1,0>:" + type;
        const std::string two = operands + " r20.0<1;1,0>:" + type;
        const std::string minus = operands + " -r20.0<1;1,0>:" + type;
        T r;
        check<T>("add" + two, [&](T a, T b) { return __builtin_add_overflow(a, b, &r); });
        check<T>("add" + minus, [&](T a, T b) { return __builtin_sub_overflow(a, b, &r); });
        if constexpr (sizeof(T) > 4) return;
        check<T>("mul" + two, [&](T a, T b) { return __builtin_mul_overflow(a, b, &r); });
    }
    LoneThread t;
};

TEST_F(Overflow, SumsAndProductsOfEveryType) {
    checkType<std::int16_t>();
    checkType<std::uint16_t>();
    checkType<std::int32_t>();
    checkType<std::uint32_t>();
    checkType<std::int64_t>();
    checkType<std::uint64_t>();
}

TEST_F(Overflow, TypesMayDiffer) {
    std::uint32_t ud;
    std::int16_t w;
    check<std::int32_t>("add (16|M0) (ov)f0.0 r40.0<1>:ud r10.0<1;1,0>:d r20.0<1;1,0>:d",
                        [&](std::int32_t a, std::int32_t b) { return __builtin_add_overflow(a, b, &ud); });
    check<std::int32_t>("mov (16|M0) (ov)f0.0 r40.0<2>:w r10.0<1;1,0>:d",
                        [&](std::int32_t a, std::int32_t) { return __builtin_add_overflow(a, 0, &w); });
    check<std::uint64_t>("mov (16|M0) (ov)f0.0 r40.0<1>:q r10.0<1;1,0>:uq",
                         [&](std::uint64_t a, std::uint64_t) { return a > std::uint64_t{INT64_MAX}; });
    check<std::int32_t>("mul (16|M0) (ov)f0.0 r40.0<1>:q r10.0<1;1,0>:d r20.0<1;1,0>:d",
                        [&](std::int32_t, std::int32_t) { return false; });
    check<std::uint32_t>("addc (16|M0) (ov)f0.0 r40.0<1>:ud r10.0<1;1,0>:ud r20.0<1;1,0>:ud",
                         [&](std::uint32_t a, std::uint32_t b) { return __builtin_add_overflow(a, b, &ud); });
    check<std::uint32_t>("subb (16|M0) (ov)f0.0 r40.0<1>:ud r10.0<1;1,0>:ud r20.0<1;1,0>:ud",
                         [&](std::uint32_t a, std::uint32_t b) { return __builtin_sub_overflow(a, b, &ud); });
    check<std::int32_t>("shl (16|M0) (ov)f0.0 r40.0<1>:d r10.0<1;1,0>:d r20.0<1;1,0>:d",
                        [&](std::int32_t a, std::int32_t b) {
                            const std::int64_t exact = std::int64_t{a} * (std::int64_t{1} << (b & 31));
                            return exact != static_cast<std::int32_t>(exact);
                        });
    check<std::int32_t>("avg (16|M0) (ov)f0.0 r40.0<1>:d r10.0<1;1,0>:d r20.0<1;1,0>:d",
                        [&](std::int32_t, std::int32_t) { return false; });
}

TEST_F(Overflow, ThreeOperands) {
    const auto narrow = [](__int128 v) { return v < INT32_MIN || v > INT32_MAX; };
    check<std::int32_t>("add3 (16|M0) (ov)f0.0 r40.0<1>:d r10.0<1;0>:d r20.0<1;0>:d r10.0<1>:d",
                        [&](std::int32_t a, std::int32_t b) { return narrow(__int128{a} + b + a); });
    check<std::int32_t>("mad (16|M0) (ov)f0.0 r40.0<1>:d r10.0<1;0>:d r20.0<1;0>:d 0x3:w",
                        [&](std::int32_t a, std::int32_t b) { return narrow(a + __int128{b} * 3); });
}

TEST_F(Overflow, SaturationDoesNotHideIt) {
    std::int32_t r;
    check<std::int32_t>("add (16|M0) (ov)f0.0 (sat)r40.0<1>:d r10.0<1;1,0>:d r20.0<1;1,0>:d",
                        [&](std::int32_t a, std::int32_t b) { return __builtin_add_overflow(a, b, &r); });
}

TEST_F(Overflow, OnlyEnabledLanesChangeTheirFlags) {
    t.set(10, std::vector<std::uint32_t>(16, ~0u));
    t.setFlag(0, 0xff00);
    ASSERT_EQ(t.run(assembleProgram("add (16|M0) (ov)f0.0 r10.0<1>:ud r10.0<1;1,0>:ud 1:w"), 0x0f0f), Status::done);
    EXPECT_EQ(t.flag(0), 0xff0fu);
    EXPECT_EQ(t.scalar<std::uint32_t>(10, 0), 0u) << "in place: judged before it was written";
    EXPECT_EQ(t.scalar<std::uint32_t>(10, 4), ~0u);
}

TEST_F(Overflow, AsTheEntryOfAGeneratedKernelUsesIt) {
    t.set(8, std::vector<std::uint32_t>{0xfffffff0, 0});
    const char* text =
        "(W) mov (8|M0) acc0.0<1>:ud 0x10:ud\n(W) add (1|M0) (ov)f0.1 r8.0<1>:ud acc0.0<0;1,0>:ud r8.0<0;1,0>:ud\n";
    EXPECT_EQ(flags(text), 0x10000u);
    t.set(8, std::vector<std::uint32_t>{0xffffffef, 0});
    EXPECT_EQ(flags(text), 0u);
}

TEST_F(Overflow, RealsBecomeInfiniteOrFitNoInteger) {
    const float huge = std::numeric_limits<float>::max();
    const float infinite = std::numeric_limits<float>::infinity();
    t.set(10, std::vector<float>{1, huge, -huge, infinite, NAN, 65519, 65520, -65520, 3e9f, -3e9f, 2147483520.0f});
    t.set(20, std::vector<float>(16, huge));
    EXPECT_EQ(flags("add (8|M0) (ov)f0.0 r40.0<1>:f r10.0<1;1,0>:f r20.0<1;1,0>:f") & 0x1f, 0b00010u);
    EXPECT_EQ(flags("mul (8|M0) (ov)f0.0 r10.0<1>:f r10.0<1;1,0>:f r20.0<1;1,0>:f") & 0x1f, 0b00110u) << "in place";
    t.set(10, std::vector<float>{1, huge, -huge, infinite, NAN, 65519, 65520, -65520, 3e9f, -3e9f, 2147483520.0f});
    EXPECT_EQ(flags("mov (8|M0) (ov)f0.0 r40.0<2>:hf r10.0<1;1,0>:f"), 0b11000110u);
    EXPECT_EQ(flags("mov (16|M0) (ov)f0.0 r40.0<1>:d r10.0<1;1,0>:f") & 0x7ff, 0b01100011110u);
    t.set(10, std::vector<double>{1e308, 1e300, -1.7e308, 0});
    EXPECT_EQ(flags("add (4|M0) (ov)f0.0 r40.0<1>:df r10.0<1;1,0>:df r10.0<1;1,0>:df"), 0b0101u);
    EXPECT_EQ(flags("mad (4|M0) (ov)f0.0 r40.0<1>:df r10.0<1;0>:df r10.0<1;0>:df r10.0<1>:df"), 0b0111u);
    EXPECT_EQ(flags("add (4|M0) (ov)f0.0 (sat)r40.0<1>:df r10.0<1;1,0>:df r10.0<1;1,0>:df"), 0b0101u);
}

TEST_F(Overflow, IsNoConditionOfLogic) {
    ASSERT_EQ(t.run(assembleProgram("cmp (16|M0) (ov)f0.0 null<1>:d r10.0<1;1,0>:d 0:w")), Status::faulted);
    EXPECT_EQ(t.thread().fault.kind, isa::FaultKind::illegalInstruction);
}

// The implicit accumulator of mach, macl, addc and subb lies where the destination lies in its register.
TEST(Accumulators, FollowTheirDestination) {
    LoneThread t;
    for (const std::uint32_t sub : {0u, 1u, 5u, 15u}) {
        const std::string at = std::to_string(sub);
        const std::string low = std::to_string(2 * sub);
        const std::uint32_t a = 0x9abcdef1;
        const std::uint32_t b = 0x87654321;
        std::vector<std::uint32_t> lanes(16, 0);
        lanes[sub] = a;
        t.set(10, lanes);
        lanes[sub] = b;
        t.set(20, lanes);
        t.set(40, std::vector<std::uint32_t>(64, 0));
        ASSERT_EQ(t.run(assembleProgram(
                      "(W) mul (1|M0) acc0." + at + "<1>:ud r10." + at + "<0;1,0>:ud r20." + low + "<0;1,0>:uw\n" +
                      "(W) macl (1|M0) r40." + at + "<1>:ud r10." + at + "<0;1,0>:ud r20." + at + "<0;1,0>:ud\n" +
                      "(W) mul (1|M0) acc0." + at + "<1>:ud r10." + at + "<0;1,0>:ud r20." + low + "<0;1,0>:uw\n" +
                      "(W) mach (1|M0) r41." + at + "<1>:ud r10." + at + "<0;1,0>:ud r20." + at + "<0;1,0>:ud\n" +
                      "(W) addc (1|M0) r42." + at + "<1>:ud r10." + at + "<0;1,0>:ud r20." + at + "<0;1,0>:ud\n" +
                      "(W) mov (1|M0) r43.0<1>:ud acc0." + at + "<0;1,0>:ud\n")),
                  Status::done)
            << describe(t.thread().fault);
        EXPECT_EQ(t.scalar<std::uint32_t>(40, sub), a * b) << sub;
        EXPECT_EQ(t.scalar<std::uint32_t>(41, sub), std::uint32_t(std::uint64_t{a} * b >> 32)) << sub;
        EXPECT_EQ(t.scalar<std::uint32_t>(42, sub), a + b) << sub;
        EXPECT_EQ(t.scalar<std::uint32_t>(43, 0), 1u) << sub;
    }
}

}  // namespace
}  // namespace zetl::test
