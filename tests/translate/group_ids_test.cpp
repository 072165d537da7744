// Threads of a group that compute with the ids of their work-items, together and one after the other by steps: ids that
// run on, as the loop for such threads takes them, and others. What is stored is any value that the program computed.
#include "group_ids.h"

#include <array>
#include <random>
#include <string>

namespace zetl::test {
namespace {

TEST_F(GroupIds, ThatRunOnMakeAddressesThatDo) {
    const Code code = assembleProgram(kBegin + storeOf("r20"));
    for (const std::uint16_t x : {0, 5, 0xfff0}) {
        EXPECT_EQ(compare(code, {.x = x}), kIdThreads - 1) << x;
        EXPECT_TRUE(report.group->linear);
    }
}

TEST_F(GroupIds, ThatWrapOrDoNotRunOnAreTakenOneByOne) {
    const Code code = assembleProgram(kBegin + storeOf("r20"));
    EXPECT_EQ(compare(code, {.x = 0xfff1}), kIdThreads - 1);
    EXPECT_EQ(compare(code, {.xRunsOn = false}), kIdThreads - 1);
}

TEST_F(GroupIds, WhatIsStoredMayBeTheSameForAll) {
    const Code code = assembleProgram(kBegin + "mov (16|M0) r30.0<1>:d r5.2<0;1,0>:d\n" + storeOf("r30"));
    EXPECT_EQ(compare(code, {.uniform = {0x12345678}}), kIdThreads - 1);
}

TEST_F(GroupIds, OfASecondDimensionMayDifferWhereAddressesRunOn) {
    const Code code = assembleProgram(kBegin + "mov (16|M0) r30.0<1>:d r2.0<1;1,0>:uw\n" + storeOf("r30"));
    EXPECT_EQ(compare(code, {.x = 7, .y = 3}), kIdThreads - 1);
    EXPECT_EQ(compare(code, {.x = 7, .y = 3, .yIsEqual = false}), kIdThreads - 1);
}

/// Addresses in r36, of dwords that each lane finds `times` as far on as its id says.
std::string addressesApart(int times) {
    return "mul (16|M0) r30.0<1>:d r1.0<1;1,0>:uw " + std::to_string(times) +
           ":w\n"
           "mov (16|M0) r32.0<2>:ud r30.0<1;1,0>:ud\n"
           "shl (16|M0) r34.0<1>:q r32.0<2;1,0>:ud 2:w\n"
           "add (16|M0) r36.0<1>:q r34.0<1;1,0>:q r5.0<0;1,0>:q\n";
}
constexpr const char* kLoad = "send.ugm (16|M0) r38 r36 null:0 0x0 0x04100580\n";
constexpr const char* kLoadLong = "send.ugm (16|M0) r38 r36 null:0 0x0 0x04200780\n";

TEST_F(GroupIds, AddressesThatLieApartAreGathered) {
    for (const int times : {0, 2, 3, 100}) {
        EXPECT_EQ(compare(assembleProgram(kBegin + addressesApart(times) + kLoad + storeOf("r38")), {.x = 9}),
                  kIdThreads - 1);
        for (const char* const part : {"r38", "r39"})
            EXPECT_EQ(compare(assembleProgram(kBegin + addressesApart(times) + kLoadLong + storeOf(part)), {.x = 8}),
                      kIdThreads - 1);
    }
}

TEST_F(GroupIds, LanesThatShareMemoryAreScatteredInTheirOrder) {
    const std::string shared =
        "and (16|M0) r30.0<1>:d r1.0<1;1,0>:uw 3:w\n"
        "mov (16|M0) r32.0<2>:ud r30.0<1;1,0>:ud\n"
        "shl (16|M0) r34.0<1>:q r32.0<2;1,0>:ud 2:w\n"
        "add (16|M0) r36.0<1>:q r34.0<1;1,0>:q r5.0<0;1,0>:q\n"
        "add (16|M0) r20.0<1>:d r1.0<1;1,0>:uw r10.1<0;1,0>:d\n"
        "add (16|M0) r21.0<1>:d r1.0<1;1,0>:uw r10.0<0;1,0>:d\n";
    for (const char* const store :
         {"send.ugm (16|M0) null r36 r20:1 0x0 0x04000584", "send.ugm (16|M0) null r36 r20:2 0x0 0x04000784"})
        EXPECT_EQ(compare(assembleProgram(kBegin + shared + store), {.x = 40}), kIdThreads - 1) << store;
}

TEST_F(GroupIds, ALaneThatEndsBeyondItsAllocationLeavesTheThreadToOthers) {
    constexpr std::uint32_t kLastLaneEnds = 15 * 12 + 4;
    LoneThread t;
    t.load(assembleProgram(kBegin + addressesApart(3) + kLoad + storeOf("r38")));
    give(t, {});
    std::vector<std::byte>& area = t.allocate(kAreaBytes);
    report = emulator::translate::translateAnyway(t.program(), kIdsBase, 16, emulator::translate::Registers::dropped);
    ASSERT_NE(report.group, nullptr);
    runAlone(t, {}, area, 0);
    const std::vector<std::byte> before = area;
    const auto runWithin = [&](std::uint64_t bytes) {
        for (auto& window : t.thread().readable) window.bytes = window.bytes == 0 ? 0 : bytes;
        prepare(t, {}, area, 1);
        return runTogether(t, 1, 2);
    };
    EXPECT_EQ(runWithin(kLastLaneEnds - 1), 1u);
    EXPECT_TRUE(area == before);
    EXPECT_EQ(runWithin(kLastLaneEnds), 2u);
}

TEST_F(GroupIds, SumsThatWrapAreNotTakenForLongOnes) {
    struct Extension {
        const char* text;
        std::uint32_t reaches;  ///< the last number before which lanes wrap, or become negative
    };
    constexpr std::array<Extension, 3> kExtensions{{
        {"mov (16|M0) r32.0<1>:uq r30.0<1;1,0>:ud\n", 0xffffffff},
        {"mov (16|M0) r32.0<1>:q r30.0<1;1,0>:d\n", 0x7fffffff},
        {"mov (16|M0) r34.0<2>:ud r30.0<1;1,0>:ud\nshl (16|M0) r32.0<1>:q r34.0<2;1,0>:ud 2:w\n", 0xffffffff},
    }};
    for (const Extension& extension : kExtensions)
        for (const char* const part : {"r32", "r33"}) {
            const Code code = assembleProgram(kBegin + "add (16|M0) r30.0<1>:d r1.0<1;1,0>:uw r5.2<0;1,0>:d\n" +
                                              extension.text + storeOf(part));
            for (const std::uint32_t missing : {0u, 1u, 14u, 15u, 16u}) {
                EXPECT_EQ(compare(code, {.uniform = {extension.reaches - missing}}), kIdThreads - 1);
                EXPECT_FALSE(HasFailure()) << extension.text << part << " " << missing;
            }
        }
}

/// Programs of what compilers make of ids, on numbers at the edges of their types.
class RandomIds {
  public:
    explicit RandomIds(std::uint64_t seed) : random_(seed) {}

    std::uint32_t any(std::uint32_t below) {
        return std::uniform_int_distribution<std::uint32_t>(0, below - 1)(random_);
    }
    Given given() {
        constexpr std::array<std::uint16_t, 6> kX{0, 1, 240, 0x7ff0, 0x7ff8, 0xfff0};
        constexpr std::array<std::uint32_t, 12> kEdges{
            0, 1, 3, 16, 0x7fff, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffff0, 0xffffff00, 0x10000, 0x7ffffff8};
        Given g{.x = kX[any(kX.size())], .y = static_cast<std::uint16_t>(any(3) == 0 ? 0xffff : any(200))};
        g.xRunsOn = any(8) != 0;
        g.yIsEqual = any(8) != 0;
        for (std::uint32_t& word : g.uniform) word = kEdges[any(kEdges.size())];
        return g;
    }
    /// Some go on only if what they computed is on the right side of something.
    std::string program(bool guarded) {
        std::string text = kBegin;
        for (const int reg : {30, 32, 34, 36})
            text += format("mov (16|M0) r%.0<1>:d r%.0<1;1,0>:uw\n", reg, 1 + any(2));
        for (const int reg : {40, 42}) text += format("mov (16|M0) r%.0<1>:q r%.0<1;1,0>:uw\n", reg, 1 + any(2));
        text += "add (16|M0) r44.0<1>:q r2.0<1;1,0>:uw r5.2<0;1,0>:q\n";  // with upper halves
        for (int i = 0; i < 10; ++i) text += operation();
        if (guarded) text += guard();
        text += storeOf("r" + std::to_string(any(2) == 0 ? narrow() : wide() + any(2)));
        return guarded ? text + "\nL1:\njoin (16|M0) L2\nL2:" : text;
    }

  private:
    template <class... Numbers>
    static std::string format(std::string text, Numbers... numbers) {
        for (const auto number : {static_cast<std::uint32_t>(numbers)...})
            text.replace(text.find('%'), 1, std::to_string(number));
        return text;
    }
    std::string comparison(const std::string& predicate) {
        constexpr std::array<const char*, 6> kConditions{"eq", "ne", "gt", "ge", "lt", "le"};
        const std::string begin = predicate + "cmp (16|M0) (" + kConditions[any(6)] + ")f0.0 null<1>:";
        switch (any(4)) {
            case 0:
                return begin + format("d r%.0<1;1,0>:d r5.%<0;1,0>:d\n", narrow(), word());
            case 1:
                return begin + format("ud r5.%<0;1,0>:ud r%.0<1;1,0>:ud\n", word(), narrow());
            case 2:
                return begin + format("d r%.0<1;1,0>:d r%.0<1;1,0>:d\n", narrow(), narrow());
            default:
                return begin + format("q r%.0<1;1,0>:q r5.%<0;1,0>:q\n", wide(), 1 + any(4));
        }
    }
    std::string guard() {
        const bool holds = any(2) == 0;
        std::string text = comparison("");
        if (any(2) == 0) text += comparison(holds ? "(f0.0) " : "(~f0.0) ");
        if (any(2) == 0)
            text += format("(f0.0) sel (16|M0) r%.0<1>:d r%.0<1;1,0>:d r5.%<0;1,0>:d\n", narrow(), narrow(), word());
        return text + (holds ? "(~f0.0)" : "(f0.0)") + " goto (16|M0) L1 L1\n";
    }
    std::uint32_t narrow() { return 30 + any(4) * 2; }
    std::uint32_t wide() { return 40 + any(3) * 2; }
    std::uint32_t word() { return 2 + any(8); }
    std::string operation() {
        switch (any(20)) {
            case 0:
                return format("add (16|M0) r%.0<1>:d r%.0<1;1,0>:d r%.0<1;1,0>:d\n", narrow(), narrow(), narrow());
            case 1:
                return format("add (16|M0) r%.0<1>:d r%.0<1;1,0>:d r5.%<0;1,0>:d\n", narrow(), narrow(), word());
            case 2:
                return format("add3 (16|M0) r%.0<1>:d r%.0<1;0>:d r1.0<1;0>:uw r5.%<0>:d\n", narrow(), narrow(),
                              word());
            case 3:
                return format("mad (16|M0) r%.0<1>:d r%.0<1;0>:d r%.0<1;0>:d r5.%<0>:w\n", narrow(), narrow(), narrow(),
                              word());
            case 4:
                return format("shl (16|M0) r%.0<1>:d r%.0<1;1,0>:d %:w\n", narrow(), narrow(), any(33));
            case 5:
                return format("mov (16|M0) r%.0<2>:ud r%.0<1;1,0>:ud\n", wide(), narrow());
            case 6:
                return format("shl (16|M0) r%.0<1>:q r%.0<2;1,0>:ud %:w\n", wide(), wide(), any(40));
            case 7:
                return format("add (16|M0) r%.0<1>:q r%.0<1;1,0>:q r5.%<0;1,0>:q\n", wide(), wide(), 1 + any(4));
            case 8:
                return format("add (16|M0) r%.0<1>:q r%.0<1;1,0>:q r%.0<1;1,0>:d\n", wide(), wide(), narrow());
            case 9:
                return format("add (16|M0) r%.0<1>:q r%.0<1;1,0>:q r%.0<1;1,0>:ud\n", wide(), wide(), narrow());
            case 10:
                return format("mul (16|M0) r%.0<1>:d r%.0<1;1,0>:d r5.%<0;1,0>:w\n", narrow(), narrow(), word() * 2);
            case 11:
                return format("and (16|M0) r%.0<1>:d r%.0<1;1,0>:d r5.%<0;1,0>:d\n", narrow(), narrow(), word());
            case 12:
                return format("shr (16|M0) r%.0<1>:ud r%.0<1;1,0>:ud %:w\n", narrow(), narrow(), any(33));
            case 13:
                return format("mov (16|M0) r%.0<1>:d r%.0<2;1,0>:d\n", narrow(), wide());
            case 14:
                return format("mov (16|M0) r%.0<1>:q r%.0<1;1,0>:d\n", wide(), narrow());
            case 15:
                return format("sel (16|M0) (lt)f0.0 r%.0<1>:d r%.0<1;1,0>:d r5.%<0;1,0>:d\n", narrow(), narrow(),
                              word());
            case 16:
                return format("sel (16|M0) (ge)f0.0 r%.0<1>:ud r5.%<0;1,0>:ud r%.0<1;1,0>:ud\n", narrow(), word(),
                              narrow());
            case 17:
                return product("macl");
            case 18:
                return product("mach");
            default:
                return format("xor (16|M0) r%.0<1>:d r2.0<1;1,0>:uw r5.%<0;1,0>:d\n", narrow(), word());
        }
    }
    /// Of dwords, half of it.
    std::string product(const std::string& second) {
        const std::uint32_t x = narrow();
        const std::uint32_t y = word();
        return format("(W) mul (16|M0) acc0.0<1>:d r%.0<1;1,0>:d r5.%<0;1,0>:uw\n", x, y * 2) + second +
               format(" (16|M0) r%.0<1>:d r%.0<1;1,0>:d r5.%<0;1,0>:d\n", narrow(), x, y);
    }
    std::mt19937_64 random_;
};

TEST_F(GroupIds, AreComputedWithAsByEachThreadAlone) {
    constexpr int kPrograms = 60;
    constexpr int kGroupsOfEach = 8;
    for (int seed = 1; seed <= kPrograms; ++seed) {
        RandomIds random(static_cast<std::uint64_t>(seed));
        const std::string text = random.program(false);
        const Code code = assembleProgram(text);
        for (int i = 0; i < kGroupsOfEach; ++i) {
            const Given given = random.given();
            EXPECT_EQ(compare(code, given), kIdThreads - 1);
            EXPECT_TRUE(report.group != nullptr && report.group->linear);
            if (HasFailure()) FAIL() << "program " << seed << ", group " << i << "\n" << text;
        }
    }
}

TEST_F(GroupIds, ThatGuardWhatIsDoneDoSoAsInEachThreadAlone) {
    constexpr int kPrograms = 80;
    constexpr int kGroupsOfEach = 8;
    std::uint32_t together = 0;
    for (int seed = 1; seed <= kPrograms; ++seed) {
        RandomIds random(static_cast<std::uint64_t>(seed));
        const std::string text = random.program(true);
        const Code code = assembleProgram(text);
        for (int i = 0; i < kGroupsOfEach; ++i) {
            together += compareIfAny(code, random.given());
            if (HasFailure()) FAIL() << "program " << seed << ", group " << i << "\n" << text;
        }
    }
    EXPECT_GT(together, kPrograms * kGroupsOfEach / 4u) << "most are left to the ordinary code";
}

}  // namespace
}  // namespace zetl::test
