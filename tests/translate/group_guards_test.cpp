// Threads of a group that go on only if their ids lie within something, together and one after the other by steps:
// those of which all lanes go on are done together, the others are left.
#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include "emulator/translate/plan/group_flags.h"
#include "group_ids.h"

namespace zetl::test {
namespace {

/// Work-items by their number in r20, of those that go on; sixteen for each thread.
const std::string kNumbered = kBegin + "add (16|M0) r20.0<1>:d r1.0<1;1,0>:uw r10.1<0;1,0>:d\n";
std::string unlessTaken(const std::string& predicate) {
    return "(" + predicate + ") goto (16|M0) L1 L1\n" + storeOf("r20") + "\nL1:\njoin (16|M0) L2\nL2:";
}

class GroupGuards : public GroupIds {
  protected:
    /// The group's function does just the threads of which every work-item goes on, once one has found memory. Of
    /// items by their number.
    void check(const std::string& text, const Given& given, const std::function<bool(std::uint32_t)>& goesOn) {
        check(assembleProgram(text), given, goesOn);
        EXPECT_FALSE(HasFailure()) << text << given.uniform[0] << " " << given.uniform[1];
    }
    void check(const Code& code, const Given& given, const std::function<bool(std::uint32_t)>& goesOn) {
        std::uint32_t whole = 0;
        bool found = false;
        for (std::uint32_t thread = 0; thread < kIdThreads; ++thread) {
            std::uint32_t lanes = 0;
            for (std::uint32_t lane = 0; lane < 16; ++lane)
                lanes += goesOn(given.x + (given.xRunsOn ? lane : lane ^ 1u) + thread * 16) ? 1 : 0;
            whole += thread != 0 && found && lanes == 16 ? 1 : 0;
            found = found || lanes != 0;
        }
        EXPECT_EQ(compare(code, given), whole);
    }
    static std::vector<Given> givens(std::uint32_t first, std::uint32_t second = 0) {
        std::vector<Given> all;
        for (const bool runsOn : {true, false})
            for (const std::uint16_t x : {0, 5}) {
                Given given{.x = x, .xRunsOn = runsOn};
                given.uniform = {first, second};
                all.push_back(given);
            }
        return all;
    }
};

struct Condition {
    const char* name;
    std::function<bool(std::int64_t, std::int64_t)> holds;
};
const std::array<Condition, 6> kConditions{{
    {"eq", std::equal_to<>()},
    {"ne", std::not_equal_to<>()},
    {"gt", std::greater<>()},
    {"ge", std::greater_equal<>()},
    {"lt", std::less<>()},
    {"le", std::less_equal<>()},
}};
constexpr std::array<std::uint32_t, 12> kLimits{0, 15, 16, 31, 32, 47, 48, 63, 64, 1000, 0x80000000, 0xffffffff};

TEST_F(GroupGuards, ByEveryConditionOfDwords) {
    for (const Condition& condition : kConditions)
        for (const std::string type : {"d", "ud"})
            for (const bool holds : {true, false}) {
                const std::string text = kNumbered + "cmp (16|M0) (" + condition.name + ")f0.0 null<1>:" + type +
                                         " r20.0<1;1,0>:" + type + " r5.2<0;1,0>:" + type + "\n" +
                                         unlessTaken(holds ? "~f0.0" : "f0.0");
                const Code code = assembleProgram(text);
                for (const std::uint32_t limit : kLimits)
                    for (const Given& given : givens(limit)) {
                        const std::int64_t by = type == "d" ? static_cast<std::int32_t>(limit) : std::int64_t{limit};
                        check(code, given, [&](std::uint32_t id) { return condition.holds(id, by) == holds; });
                        if (HasFailure()) FAIL() << text << limit;
                    }
            }
}

TEST_F(GroupGuards, WithTheNumberFirst) {
    for (const Condition& condition : kConditions)
        for (const std::uint32_t limit : {16u, 31u, 32u, 48u})
            for (const Given& given : givens(limit))
                check(kNumbered + "cmp (16|M0) (" + condition.name + ")f0.0 null<1>:d r5.2<0;1,0>:d r20.0<1;1,0>:d\n" +
                          unlessTaken("~f0.0"),
                      given, [&](std::uint32_t id) { return condition.holds(limit, id); });
}

TEST_F(GroupGuards, InSixtyFourBits) {
    for (const Condition& condition : kConditions)
        for (const std::uint32_t limit : {16u, 32u, 48u})
            for (const std::uint32_t high : {0u, 1u, 0xffffffffu})
                for (const bool holds : {true, false})
                    for (const Given& given : givens(limit, high))
                        check(kNumbered + "mov (16|M0) r30.0<1>:q r20.0<1;1,0>:d\ncmp (16|M0) (" + condition.name +
                                  ")f0.0 null<1>:q r30.0<1;1,0>:q r5.1<0;1,0>:q\n" +
                                  unlessTaken(holds ? "~f0.0" : "f0.0"),
                              given, [&](std::uint32_t id) {
                                  const auto by = static_cast<std::int64_t>(std::uint64_t{high} << 32 | limit);
                                  return condition.holds(id, by) == holds;
                              });
}

/// Each lane by 2^60 more than the one before.
const std::string kGrowingFast = kNumbered +
                                 "mov (16|M0) r30.0<1>:q r20.0<1;1,0>:d\nshl (16|M0) r30.0<1>:q r30.0<1;1,0>:q 30:w\n"
                                 "shl (16|M0) r30.0<1>:q r30.0<1;1,0>:q 30:w\n"
                                 "cmp (16|M0) (ge)f0.0 null<1>:q r30.0<1;1,0>:q r5.1<0;1,0>:q\n" +
                                 unlessTaken("~f0.0");

TEST_F(GroupGuards, ThatGrowFast) {
    for (const std::uint32_t high : {0u, 0x10000000u, 0x70000000u, 0x80000000u, 0xffffffffu})
        for (const Given& given : givens(0, high))
            check(kGrowingFast, given, [&](std::uint32_t id) {
                return static_cast<std::int64_t>(std::uint64_t{id} << 60) >=
                       static_cast<std::int64_t>(std::uint64_t{high} << 32);
            });
}

/// In builds whose sanitizers look at the translator, which execute none of its code.
TEST(GroupFlags, OfLanesThatGrowFastAreTranslated) {
    LoneThread t;
    t.load(assembleProgram(kGrowingFast));
    EXPECT_GE(emulator::translate::translateInVain(t.program(), kIdsBase, 16).lines, t.program().lineCount());
}

TEST_F(GroupGuards, OfWhatAllThreadsShare) {
    for (const Condition& condition : kConditions)
        for (const auto& [first, second] : {std::pair{1u, 2u}, {2u, 1u}, {2u, 2u}})
            for (const Given& given : givens(first, second))
                check(kNumbered + "cmp (16|M0) (" + condition.name + ")f0.0 null<1>:d r5.2<0;1,0>:d r5.3<0;1,0>:d\n" +
                          unlessTaken("~f0.0"),
                      given, [&, a = first, b = second](std::uint32_t) { return condition.holds(a, b); });
}

TEST_F(GroupGuards, ThatWrapAreNotTakenForOrdered) {
    for (const std::uint32_t added : {0x7fffffd0u, 0x7fffffe8u, 0xffffffd0u, 0xffffffe8u, 0xfffffff0u})
        for (const char* const type : {"d", "ud"})
            for (const char* const condition : {"lt", "ge"})
                for (const Given& given : givens(added, 40)) {
                    const std::string t(type);
                    const bool isSigned = t == "d";
                    check(kNumbered + "add (16|M0) r30.0<1>:d r20.0<1;1,0>:d r5.2<0;1,0>:d\ncmp (16|M0) (" + condition +
                              ")f0.0 null<1>:" + t + " r30.0<1;1,0>:" + t + " r5.3<0;1,0>:" + t + "\n" +
                              unlessTaken("~f0.0"),
                          given, [&](std::uint32_t id) {
                              const std::uint32_t sum = id + added;
                              const bool less = isSigned ? static_cast<std::int32_t>(sum) < 40 : sum < 40;
                              return less == (std::string(condition) == "lt");
                          });
                }
}

TEST_F(GroupGuards, WithinBothEnds) {
    for (const auto& [first, end] : {std::pair{0u, 64u}, {16u, 48u}, {17u, 48u}, {16u, 47u}, {32u, 64u}, {40u, 20u}})
        for (const Given& given : givens(first, end)) {
            check(kNumbered +
                      "cmp (16|M0) (ge)f0.0 null<1>:d r20.0<1;1,0>:d r5.2<0;1,0>:d\n"
                      "(f0.0) cmp (16|M0) (lt)f0.0 null<1>:d r20.0<1;1,0>:d r5.3<0;1,0>:d\n" +
                      unlessTaken("~f0.0"),
                  given, [begin = first, end = end](std::uint32_t id) { return id >= begin && id < end; });
            check(kNumbered +
                      "cmp (16|M0) (lt)f1.0 null<1>:d r20.0<1;1,0>:d r5.2<0;1,0>:d\n"
                      "(~f1.0) cmp (16|M0) (ge)f1.0 null<1>:d r20.0<1;1,0>:d r5.3<0;1,0>:d\n" +
                      unlessTaken("f1.0"),
                  given, [begin = first, end = end](std::uint32_t id) { return id >= begin && id < end; });
        }
}

/// As compilers make them of && and ||: each comparison a number first.
TEST_F(GroupGuards, AsNumbersThatAreCombined) {
    const std::string one = "(W) mov (1|M0) r3.2<1>:uw 0x1:uw\n";
    const std::string numbers =
        "(f0.0) sel (16|M0) r28.0<1>:uw r3.2<0;1,0>:uw 0x0:uw\n"
        "(f1.0) sel (16|M0) r29.0<1>:uw r3.2<0;1,0>:uw 0x0:uw\n";
    const auto compared = [](const std::string& condition) {
        return "cmp (16|M0) (" + condition + ")f1.0 null<1>:d r20.0<1;1,0>:d r5.2<0;1,0>:d\ncmp (16|M0) (" + condition +
               ")f0.0 null<1>:d r20.0<1;1,0>:d r5.3<0;1,0>:d\n";
    };
    const auto combined = [](const std::string& how) {
        return how + " (16|M0) (ne)f0.0 null<2>:uw r28.0<1;1,0>:uw r29.0<1;1,0>:uw\n";
    };
    for (const auto& [first, second] : {std::pair{64u, 64u}, {48u, 32u}, {32u, 47u}, {63u, 16u}, {15u, 64u}})
        for (const Given& given : givens(first, second)) {
            const auto within = [a = first, b = second](std::uint32_t id) { return id < a && id < b; };
            check(kNumbered + one + compared("lt") + numbers + combined("and") + unlessTaken("~f0.0"), given, within);
            check(kNumbered + one + compared("ge") + numbers + combined("or") + unlessTaken("f0.0"), given, within);
        }
}

/// A selection takes one source where all lanes of a thread do.
TEST_F(GroupGuards, OfWhatIsSelected) {
    struct Case {
        const char* condition;
        const char* predicate;
    };
    constexpr std::array<Case, 5> kCases{
        {{"lt", "f0.0"}, {"lt", "~f0.0"}, {"ge", "f0.0"}, {"ge", "~f0.0"}, {"gt", "f0.0"}}};
    for (const Case& c : kCases)
        for (const std::uint32_t limit : {0u, 16u, 31u, 32u, 33u, 48u, 64u})
            for (const Given& given : givens(limit, 7)) {
                const std::string text = kNumbered + "cmp (16|M0) (" + c.condition +
                                         ")f0.0 null<1>:d r20.0<1;1,0>:d r5.2<0;1,0>:d\n(" + c.predicate +
                                         ") sel (16|M0) r30.0<1>:d r20.0<1;1,0>:d r5.3<0;1,0>:d\n" + storeOf("r30");
                std::uint32_t whole = 0;
                for (std::uint32_t thread = 1; thread < kIdThreads; ++thread) {
                    const std::uint32_t last = given.x + 15u + thread * 16;
                    whole += last < limit || (c.condition == std::string("gt") && last == limit) ? 1 : 0;
                }
                EXPECT_EQ(compare(assembleProgram(text), given), whole) << text << limit;
            }
}

TEST_F(GroupGuards, FlagsThatNobodyLooksAtGuardNothing) {
    for (const char* const condition : {"lt", "ge", "eq"})
        for (const Given& given : givens(0xffffffe0))
            EXPECT_EQ(compare(assembleProgram(kNumbered + "add (16|M0) (" + condition +
                                              ")f0.0 r30.0<1>:d r20.0<1;1,0>:d r5.2<0;1,0>:d\n" + storeOf("r30")),
                              given),
                      kIdThreads - 1);
}

TEST_F(GroupGuards, OneBehindTheOther) {
    for (const auto& [first, end] : {std::pair{0u, 64u}, {16u, 48u}, {17u, 48u}, {16u, 47u}})
        for (const Given& given : givens(first, end))
            check(kNumbered +
                      "cmp (16|M0) (ge)f0.0 null<1>:d r20.0<1;1,0>:d r5.2<0;1,0>:d\n(~f0.0) goto (16|M0) L1 L1\n"
                      "cmp (16|M0) (lt)f0.0 null<1>:d r20.0<1;1,0>:d r5.3<0;1,0>:d\n" +
                      unlessTaken("~f0.0"),
                  given, [begin = first, end = end](std::uint32_t id) { return id >= begin && id < end; });
}

TEST_F(GroupGuards, TheLastComparisonCounts) {
    for (const Given& given : givens(16, 32))
        check(kNumbered +
                  "cmp (16|M0) (lt)f0.0 null<1>:d r20.0<1;1,0>:d r5.2<0;1,0>:d\n"
                  "cmp (16|M0) (lt)f0.0 null<1>:d r20.0<1;1,0>:d r5.3<0;1,0>:d\n" +
                  unlessTaken("~f0.0"),
              given, [&](std::uint32_t id) { return id < 32; });
}

TEST_F(GroupGuards, OfRealNumbers) {
    for (const char* const condition : {"lt", "ge"})
        for (const Given& given : givens(0x42000000))  // 32.0
            check(kNumbered + "mov (16|M0) r30.0<1>:f r20.0<1;1,0>:d\ncmp (16|M0) (" + condition +
                      ")f0.0 null<1>:f r30.0<1;1,0>:f r5.2<0;1,0>:f\n" + unlessTaken("~f0.0"),
                  given, [&](std::uint32_t id) { return (id < 32) == (std::string(condition) == "lt"); });
}

/// What stencils make of ids at the edges: the lesser or the greater of one and a number.
TEST_F(GroupGuards, IdsThatAreHeldWithinEdges) {
    for (const std::uint32_t edge : {0u, 15u, 16u, 17u, 31u, 32u, 47u, 63u, 64u, 0x7fffffffu, 0x80000000u, 0xffffffffu})
        for (const Given& given : givens(edge))
            for (const char* const text : {"sel (16|M0) (lt)f0.0 r30.0<1>:d r20.0<1;1,0>:d r5.2<0;1,0>:d\n",
                                           "sel (16|M0) (ge)f0.0 r30.0<1>:d r20.0<1;1,0>:d r5.2<0;1,0>:d\n",
                                           "sel (16|M0) (lt)f0.0 r30.0<1>:ud r5.2<0;1,0>:ud r20.0<1;1,0>:ud\n",
                                           "sel (16|M0) (ge)f0.0 r30.0<1>:ud r5.2<0;1,0>:ud r20.0<1;1,0>:ud\n"}) {
                EXPECT_EQ(compare(assembleProgram(kNumbered + text + storeOf("r30")), given), kIdThreads - 1);
                EXPECT_FALSE(HasFailure()) << text << edge;
            }
}

/// Lanes whose bits would lie behind the flag's: no compiler asks for such, a hostile binary may.
TEST(GroupFlags, BitsBehindTheFlagAreNobodys) {
    using emulator::translate::GroupFlags;
    const auto mask = [](std::uint32_t lanes, std::uint8_t shift, std::uint8_t flag, isa::Predicate predicate) {
        return isa::LaneMask{.lanes = lanes, .shift = shift, .predicate = predicate, .flag = flag};
    };
    constexpr auto kNone = isa::Predicate::none;
    constexpr auto kNormal = isa::Predicate::normal;
    for (const auto& [lanes, shift, flag] : {std::tuple{0xffffu, 16, 1}, {~0u, 0, 1}, {~0u, 16, 0}, {0xffffu, 24, 3}}) {
        const auto by = static_cast<std::uint8_t>(shift);
        const auto at = static_cast<std::uint8_t>(flag);
        GroupFlags flags;
        EXPECT_FALSE(flags.compare(mask(lanes, by, at, kNone), 5, {}));
        EXPECT_FALSE(flags.passes(mask(lanes, by, at, kNormal)));
        EXPECT_FALSE(flags.holds(mask(lanes, by, at, kNormal)));
    }
    GroupFlags flags;
    EXPECT_TRUE(flags.compare(mask(0xffff, 16, 0, kNone), 5, {}));
    EXPECT_TRUE(flags.passes(mask(0xffff, 0, 1, kNormal))) << "the same half by its other name";
}

}  // namespace
}  // namespace zetl::test
