// Values that translated code may keep in registers of the host - what all lanes have in common, single numbers, flags,
// lanes of a register - after what they were taken from has changed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <string_view>

#include "lone_thread.h"

namespace zetl::test {
namespace {

class HeldValues : public testing::Test {
  protected:
    static std::int32_t valueOf(std::uint32_t lane) { return static_cast<std::int32_t>(lane * 0x01010101 + 7); }
    /// r10 and r11 are numbered lanes; r30 is one and r32 is two, in all lanes.
    void run(const std::string& assembly, std::uint32_t lanes = ~0u) {
        SCOPED_TRACE(assembly);
        run(assembleProgram(assembly), {}, lanes);
    }
    /// The first lanes of r10 and r11 are others, if any are given.
    void run(const Code& code, const std::vector<std::uint32_t>& first, std::uint32_t lanes = ~0u) {
        t.load(code, lanes);
        for (std::uint32_t lane = 0; lane < 32; ++lane) t.thread().at<std::int32_t>(10 * 64 + lane * 4) = valueOf(lane);
        for (std::uint32_t k = 0; k < first.size(); ++k) t.set(10 + k, std::vector{first[k]});
        t.set(30, std::vector<std::int32_t>(16, 1));
        t.set(32, std::vector<std::int32_t>(16, 2));
        ASSERT_EQ(t.resume(), isa::Status::done) << describe(t.thread().fault);
    }
    void expectLanes(std::uint32_t reg, std::uint32_t count, const std::function<std::int32_t(std::uint32_t)>& want) {
        const auto got = t.get<std::int32_t>(reg, count);
        for (std::uint32_t i = 0; i < count; ++i) EXPECT_EQ(got[i], want(i)) << 'r' << reg << ", lane " << i;
    }
    LoneThread t;
};

TEST_F(HeldValues, WhatAllLanesHaveInCommonChanges) {
    const std::string before = "add (32|M0) r20.0<1>:d r10.0<1;1,0>:d r30.0<0;1,0>:d\n";
    const std::string after = "add (32|M0) r22.0<1>:d r10.0<1;1,0>:d r30.0<0;1,0>:d\n";
    struct Change {
        const char* text;
        std::int32_t becomes;
    };
    for (const Change& change :
         {Change{"(W) mov (1|M0) r30.0<1>:d 100:w\n", 100}, Change{"mov (32|M0) r30.0<1>:d r32.0<0;1,0>:d\n", 2},
          Change{"(W) mov (16|M0) r30.0<1>:d r10.0<1;1,0>:d\n", 7},
          Change{"(W) mov (2|M0) r30.0<1>:d r10.1<1;1,0>:d\n", valueOf(1)},
          Change{"(W) mov (1|M0) r30.1<1>:b 1:w\n", 0x101}, Change{"(W) mov (1|M0) r30.2<1>:w 1:w\n", 1},
          Change{"(W) mov (1|M0) r30.0<1>:q 5:w\n", 5}, Change{"(W) mov (1|M0) r29.15<1>:d 9:w\n", 1},
          Change{"(W) mov (4|M0) r29.14<1>:d r32.0<1;1,0>:d\n", 2}}) {
        run(before + change.text + after);
        expectLanes(20, 32, [](std::uint32_t i) { return valueOf(i) + 1; });
        expectLanes(22, 32, [&](std::uint32_t i) { return valueOf(i) + change.becomes; });
    }
    run("add (32|M0) r30.0<1>:d r10.0<1;1,0>:d r30.0<0;1,0>:d\n");  // itself, while it is read
    expectLanes(30, 32, [](std::uint32_t i) { return valueOf(i) + 1; });
}

TEST_F(HeldValues, SixtyFourBitsInCommonOfTwoHalves) {
    const std::string before = "(W) mov (1|M0) r30.0<1>:d 1:w\n(W) mov (1|M0) r30.1<1>:d 2:w\n";
    const std::string add = "add (16|M0) r20.0<1>:q r10.0<0;1,0>:q r30.0<0;1,0>:q\n";
    run("(W) mov (1|M0) r10.0<1>:q 0:w\n" + before + add +
        "(W) mov (1|M0) r30.1<1>:d 3:w\nadd (16|M0) r24.0<1>:q r10.0<0;1,0>:q r30.0<0;1,0>:q\n");
    EXPECT_EQ(t.scalar<std::uint64_t>(20, 15), 0x200000001u);
    EXPECT_EQ(t.scalar<std::uint64_t>(24, 15), 0x300000001u);
}

TEST_F(HeldValues, SingleNumbersChangeInPart) {
    const std::string begin = "(W) add (1|M0) r20.0<1>:d r10.1<0;1,0>:d 1:w\n";
    const std::string end = "(W) add (1|M0) r21.0<1>:d r20.0<0;1,0>:d 1:w\n";
    const std::int32_t first = valueOf(1) + 1;
    run(begin + end);
    EXPECT_EQ(t.scalar<std::int32_t>(21), first + 1);
    run(begin + "(W) mov (1|M0) r20.1<1>:b 0:w\n" + end);
    EXPECT_EQ(t.scalar<std::int32_t>(21), (first & ~0xff00) + 1);
    run(begin + "mov (32|M0) r20.0<1>:d 5:w\n" + end);
    EXPECT_EQ(t.scalar<std::int32_t>(21), 6);
    run(begin + "(W) mov (1|M0) r20.0<1>:q 70:w\n" + end);
    EXPECT_EQ(t.scalar<std::int32_t>(21), 71);
    run("(W) mov (1|M0) f0.0<1>:ud 0x0:ud\n" + begin + "(W&f0.0) mov (1|M0) r20.0<1>:d 9:w\n" + end);
    EXPECT_EQ(t.scalar<std::int32_t>(21), first + 1);
    run("(W) mov (1|M0) f0.0<1>:ud 0x1:ud\n" + begin + "(W&f0.0) mov (1|M0) r20.0<1>:d 9:w\n" + end);
    EXPECT_EQ(t.scalar<std::int32_t>(21), 10);
    run("(W) mov (1|M0) f0.0<1>:ud 0x1:ud\n" + begin + "(W&~f0.0) mov (1|M0) r20.0<1>:d 9:w\n" + end);
    EXPECT_EQ(t.scalar<std::int32_t>(21), first + 1);
}

TEST_F(HeldValues, ComparisonsOfWhatAllLanesShare) {
    struct Condition {
        const char* name;
        bool (*holds)(std::int64_t, std::int64_t);
    };
    constexpr Condition kConditions[] = {{"eq", [](std::int64_t a, std::int64_t b) { return a == b; }},
                                         {"ne", [](std::int64_t a, std::int64_t b) { return a != b; }},
                                         {"gt", [](std::int64_t a, std::int64_t b) { return a > b; }},
                                         {"ge", [](std::int64_t a, std::int64_t b) { return a >= b; }},
                                         {"lt", [](std::int64_t a, std::int64_t b) { return a < b; }},
                                         {"le", [](std::int64_t a, std::int64_t b) { return a <= b; }}};
    constexpr std::uint32_t kEdges[] = {0, 1, 2, 0x7fffffff, 0x80000000, 0xffffffff};
    for (const Condition& condition : kConditions) {
        std::array<Code, 2> codes;
        for (const bool isSigned : {true, false})
            codes[isSigned] =
                assembleProgram(fmt::format("(W) cmp (32|M0) ({0})f1.0 null<1>:{1} r10.0<0;1,0>:{1} r11.0<0;1,0>:{1}\n"
                                            "(W) cmp (1|M0) ({0})f2.0 null<1>:{1} r10.0<0;1,0>:{1} r11.0<0;1,0>:{1}\n",
                                            condition.name, isSigned ? "d" : "ud"));
        for (const bool isSigned : {true, false})
            for (const std::uint32_t x : kEdges)
                for (const std::uint32_t y : kEdges) {
                    run(codes[isSigned], {x, y});
                    const auto wide = [&](std::uint32_t v) {
                        return isSigned ? std::int64_t{static_cast<std::int32_t>(v)} : std::int64_t{v};
                    };
                    const bool holds = condition.holds(wide(x), wide(y));
                    EXPECT_EQ(t.flag(1), holds ? ~0u : 0u) << condition.name << ' ' << x << ' ' << y << ' ' << isSigned;
                    EXPECT_EQ(t.flag(2) & 1, holds ? 1u : 0u);
                    if (HasFailure()) return;
                }
    }
}

TEST_F(HeldValues, SelectionsFollowTheirFlags) {
    const std::string compare = "cmp (32|M0) (lt)f{}.0 null<1>:d r10.0<1;1,0>:d {}\n";
    const std::string select = "(f{0}.0) sel (32|M0) r{1}.0<1>:d r32.0<0;1,0>:d r30.0<0;1,0>:d\n";
    const auto below = [](std::uint32_t n) { return [n](std::uint32_t i) { return i < n ? 2 : 1; }; };
    const auto limit = [](std::uint32_t n) { return fmt::format("{:#x}:d", valueOf(n)); };
    // Flags one and three, two and none, are kept in the same place.
    for (const auto& [one, other] : {std::pair(1, 3), std::pair(0, 2), std::pair(2, 1)}) {
        run(fmt::format(fmt::runtime(compare), one, limit(5)) + fmt::format(fmt::runtime(compare), other, limit(20)) +
            fmt::format(fmt::runtime(select), one, 20) + fmt::format(fmt::runtime(select), other, 22));
        expectLanes(20, 32, below(5));
        expectLanes(22, 32, below(20));
        run(fmt::format(fmt::runtime(compare), one, limit(5)) + fmt::format(fmt::runtime(select), one, 20) +
            fmt::format("(W) mov (1|M0) f{}.0<1>:ud 0xff:ud\n", one) + fmt::format(fmt::runtime(select), one, 22));
        expectLanes(20, 32, below(5));
        expectLanes(22, 32, below(8));
        run(fmt::format(fmt::runtime(compare), one, limit(5)) +
            fmt::format("cmp (16|M0) (lt)f{}.0 null<1>:d r10.0<1;1,0>:d {}\n", one, limit(9)) +
            fmt::format(fmt::runtime(select), one, 22));
        expectLanes(22, 32, below(9));
        run(fmt::format(fmt::runtime(compare), one, limit(5)) +
            fmt::format("(W) mov (1|M0) f{}.1<1>:uw 0x1:uw\n", one) + fmt::format(fmt::runtime(select), one, 22));
        expectLanes(22, 32, [](std::uint32_t i) { return i < 5 || i == 16 ? 2 : 1; });
    }
}

TEST_F(HeldValues, LanesOfARegisterThatIsHeld) {
    for (std::uint32_t lane = 0; lane < 16; ++lane) {
        run(
            fmt::format("add (16|M0) r20.0<1>:f r10.0<1;1,0>:f 0x0:f\n"
                        "(W) mul (1|M0) r21.0<1>:f r20.{}<0;1,0>:f 0x3F800000:f\n",
                        lane));
        EXPECT_EQ(t.scalar<std::uint32_t>(21), t.scalar<std::uint32_t>(20, lane)) << lane;
    }
    for (std::uint32_t lane = 0; lane < 8; ++lane) {
        run(fmt::format("add (8|M0) r20.0<1>:df r10.0<1;1,0>:df r10.0<1;1,0>:df\n"
                        "(W) add (1|M0) r21.0<1>:df r20.{0}<0;1,0>:df -r20.{0}<0;1,0>:df\n"
                        "(W) add (1|M0) r22.0<1>:df r20.{0}<0;1,0>:df r20.{0}<0;1,0>:df\n",
                        lane),
            0xff);
        EXPECT_EQ(t.scalar<double>(21), 0) << lane;
        EXPECT_EQ(t.scalar<double>(22), 2 * t.scalar<double>(20, lane)) << lane;
    }
}

TEST_F(HeldValues, FewLanesFromTheMiddleOfARegister) {
    struct Few {
        std::uint32_t lanes;
        std::uint32_t from;
    };
    for (const Few& few : {Few{8, 8}, Few{4, 4}, Few{4, 8}, Few{4, 12}, Few{2, 2}, Few{2, 14}, Few{8, 0}, Few{8, 4}}) {
        run(
            fmt::format("add (16|M0) r20.0<1>:d r10.0<1;1,0>:d 3:w\n"
                        "(W) mov ({0}|M0) r21.0<1>:d r20.{1}<1;1,0>:d\n"
                        "(W) add ({0}|M0) r22.0<1>:d r21.0<1;1,0>:d r20.{1}<1;1,0>:d\n"
                        "(W) add ({0}|M0) r23.4<1>:d r22.0<1;1,0>:d 1:w\n",
                        few.lanes, few.from));
        const auto want = [&](std::uint32_t i) { return valueOf(few.from + i) + 3; };
        expectLanes(21, few.lanes, want);
        expectLanes(22, few.lanes, [&](std::uint32_t i) { return 2 * want(i); });
        const auto behind = t.get<std::int32_t>(23, few.lanes + 4);
        for (std::uint32_t i = 0; i < few.lanes; ++i) EXPECT_EQ(behind[i + 4], 2 * want(i) + 1) << i;
    }
}

TEST_F(HeldValues, WordsThatWereStoredInParts) {
    run("(W) mov (8|M0) r20.0<1>:w 0x76543210:v\n"
        "(W) add (8|M0) r20.8<1>:w r20.0<1;1,0>:w 8:w\n"
        "(W) add (16|M0) r20.16<1>:w r20.0<1;1,0>:w 16:w\n"
        "(W) add (16|M0) r21.0<1>:d r20.0<1;1,0>:w 1:w\n"
        "(W) add (16|M0) r22.0<1>:d r20.8<1;1,0>:w 1:w\n"
        "(W) add (8|M0) r23.0<1>:d r20.4<1;1,0>:w 1:w\n");
    const auto words = t.get<std::int16_t>(20, 32);
    for (std::int16_t i = 0; i < 32; ++i) EXPECT_EQ(words[i], i);
    expectLanes(21, 16, [](std::uint32_t i) { return static_cast<std::int32_t>(i + 1); });
    expectLanes(22, 16, [](std::uint32_t i) { return static_cast<std::int32_t>(i + 9); });
    expectLanes(23, 8, [](std::uint32_t i) { return static_cast<std::int32_t>(i + 5); });
}

TEST_F(HeldValues, JumpsByABitOfAFlag) {
    for (std::uint32_t half = 0; half < 2; ++half)
        for (const bool inverted : {false, true})
            for (const std::uint32_t bits : {0x1u, 0x10000u, 0x10001u, 0xfffefffeu}) {
                run(
                    fmt::format("(W) mov (1|M0) r20.0<1>:d 1:w\n"
                                "(W) mov (1|M0) f2.0<1>:ud {:#x}:ud\n"
                                "(W&{}f2.{}) jmpi L1\n"
                                "(W) mov (1|M0) r20.0<1>:d 2:w\n"
                                "L1:\n",
                                bits, inverted ? "~" : "", half));
                const bool jumps = ((bits >> half * 16 & 1) != 0) != inverted;
                EXPECT_EQ(t.scalar<std::int32_t>(20), jumps ? 1 : 2) << half << ' ' << inverted << ' ' << bits;
            }
}

TEST_F(HeldValues, SingleNumbersOfAllKinds) {
    struct Line {
        const char* text;  ///< r20.0 of r10.0 and r11.0
        std::int64_t (*want)(std::int32_t x, std::int32_t y);
    };
    using U = std::uint32_t;
    static constexpr Line kLines[] = {
        {"add (1|M0) r20.0<1>:d r10.0<0;1,0>:d r11.0<0;1,0>:d",
         [](auto x, auto y) -> std::int64_t { return static_cast<std::int32_t>(U(x) + U(y)); }},
        {"add (1|M0) r20.0<1>:d r10.0<0;1,0>:d -r11.0<0;1,0>:d",
         [](auto x, auto y) -> std::int64_t { return static_cast<std::int32_t>(U(x) - U(y)); }},
        {"add (1|M0) r20.0<1>:d (abs)r10.0<0;1,0>:d 0:w",
         [](auto x, auto) -> std::int64_t { return static_cast<std::int32_t>(x < 0 ? 0 - U(x) : U(x)); }},
        {"mul (1|M0) r20.0<1>:d r10.0<0;1,0>:d r11.0<0;1,0>:w",
         [](auto x, auto y) -> std::int64_t {
             return static_cast<std::int32_t>(U(x) * U(static_cast<std::int16_t>(y)));
         }},
        {"and (1|M0) r20.0<1>:d r10.0<0;1,0>:d r11.0<0;1,0>:d", [](auto x, auto y) -> std::int64_t { return x & y; }},
        {"or (1|M0) r20.0<1>:d r10.0<0;1,0>:d -r11.0<0;1,0>:d", [](auto x, auto y) -> std::int64_t { return x | ~y; }},
        {"xor (1|M0) r20.0<1>:d r10.0<0;1,0>:d r11.0<0;1,0>:d", [](auto x, auto y) -> std::int64_t { return x ^ y; }},
        {"not (1|M0) r20.0<1>:d r10.0<0;1,0>:d", [](auto x, auto) -> std::int64_t { return ~x; }},
        {"shl (1|M0) r20.0<1>:d r10.0<0;1,0>:d r11.0<0;1,0>:d",
         [](auto x, auto y) -> std::int64_t { return static_cast<std::int32_t>(U(x) << (y & 31)); }},
        {"shr (1|M0) r20.0<1>:ud r10.0<0;1,0>:ud r11.0<0;1,0>:ud",
         [](auto x, auto y) -> std::int64_t { return static_cast<std::int32_t>(U(x) >> (y & 31)); }},
        {"asr (1|M0) r20.0<1>:d r10.0<0;1,0>:d 33:w", [](auto x, auto) -> std::int64_t { return x >> 1; }},
        {"asr (1|M0) r20.0<1>:d r10.0<0;1,0>:d r11.0<0;1,0>:d",
         [](auto x, auto y) -> std::int64_t { return x >> (y & 31); }},
        {"add3 (1|M0) r20.0<1>:d r10.0<0;0>:d r11.0<0;0>:d r10.0<0>:d",
         [](auto x, auto y) -> std::int64_t { return static_cast<std::int32_t>(U(x) + U(y) + U(x)); }},
        {"mad (1|M0) r20.0<1>:d r10.0<0;0>:d r11.0<0;0>:d r10.0<0>:w",
         [](auto x, auto y) -> std::int64_t {
             return static_cast<std::int32_t>(U(x) + U(y) * U(static_cast<std::int16_t>(x)));
         }},
        {"sel (1|M0) (lt)f0.0 r20.0<1>:d r10.0<0;1,0>:d r11.0<0;1,0>:d",
         [](auto x, auto y) -> std::int64_t { return x < y ? x : y; }},
        {"sel (1|M0) (ge)f0.0 r20.0<1>:d r10.0<0;1,0>:d r11.0<0;1,0>:d",
         [](auto x, auto y) -> std::int64_t { return x >= y ? x : y; }},
        {"sel (1|M0) (lt)f0.0 r20.0<1>:ud r10.0<0;1,0>:ud r11.0<0;1,0>:ud",
         [](auto x, auto y) -> std::int64_t { return U(x) < U(y) ? x : y; }},
        {"mov (1|M0) r20.0<1>:q r10.0<0;1,0>:w",
         [](auto x, auto) -> std::int64_t { return static_cast<std::int16_t>(x); }},
        {"mov (1|M0) r20.0<1>:q r10.0<0;1,0>:ub",
         [](auto x, auto) -> std::int64_t { return static_cast<std::uint8_t>(x); }},
        {"mov (1|M0) r20.0<1>:q -r10.0<0;1,0>:d", [](auto x, auto) -> std::int64_t { return -std::int64_t{x}; }},
        {"mov (1|M0) r20.0<1>:uq r10.0<0;1,0>:ud", [](auto x, auto) -> std::int64_t { return U(x); }},
        {"add (1|M0) r20.0<1>:q r10.0<0;1,0>:d r11.0<0;1,0>:ud",
         [](auto x, auto y) -> std::int64_t { return x + std::int64_t{U(y)}; }},
        {"shl (1|M0) r20.0<1>:q r10.0<0;1,0>:d r11.0<0;1,0>:d",
         [](auto x, auto y) -> std::int64_t {
             return static_cast<std::int64_t>(static_cast<std::uint64_t>(std::int64_t{x}) << (y & 63));
         }},
    };
    constexpr std::int32_t kNumbers[] = {
        0, 1, -1, 5, 31, 32, 33, 63, 64, 0x7fffffff, static_cast<std::int32_t>(0x80000000), 0x12345678, -77777};
    for (const Line& line : kLines) {
        const Code code = assembleProgram(fmt::format("(W) {}\n", line.text));
        for (const std::int32_t x : kNumbers)
            for (const std::int32_t y : kNumbers) {
                run(code, {U(x), U(y)});
                const std::int64_t want = line.want(x, y);
                const bool wide = std::string_view(line.text).find("r20.0<1>:q") != std::string_view::npos ||
                                  std::string_view(line.text).find("r20.0<1>:uq") != std::string_view::npos;
                if (wide)
                    EXPECT_EQ(t.scalar<std::int64_t>(20), want) << line.text << ", " << x << ", " << y;
                else
                    EXPECT_EQ(t.scalar<std::int32_t>(20), static_cast<std::int32_t>(want))
                        << line.text << ", " << x << ", " << y;
                if (HasFailure()) return;
            }
    }
}

TEST_F(HeldValues, ProductsOfTheUpperWords) {
    const Code code = assembleProgram(
        "(W) mul (1|M0) acc0.0<1>:d r10.0<0;1,0>:d r11.0<0;1,0>:uw\n"
        "(W) mov (1|M0) r22.0<1>:d 1:w\n"
        "(W) macl (1|M0) r20.0<1>:d r10.0<0;1,0>:d r11.0<0;1,0>:d\n");
    for (const std::uint32_t x : {3u, 0xfffffffdu, 0x12345678u, 0x80000001u})
        for (const std::uint32_t y : {5u, 0xfffffffbu, 0x7fff0001u, 0xfffeffffu}) {
            run(code, {x, y});
            EXPECT_EQ(t.scalar<std::uint32_t>(20), x * y);
        }
}

}  // namespace
}  // namespace zetl::test
