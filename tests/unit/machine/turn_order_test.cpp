// The order in which groups and threads take their turns, by a seed.
#include "emulator/machine/execution/turn_order.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "kernel_bench.h"

namespace zetl::emulator::machine {
namespace {

TurnOrder ordered(const std::string& value) {
    setenv("ZETL_EMULATOR_ORDER", value.c_str(), 1);
    const TurnOrder order = TurnOrder::configured();
    unsetenv("ZETL_EMULATOR_ORDER");
    return order;
}

TEST(TurnOrder, IsAWordOrANumber) {
    EXPECT_FALSE(ordered("first").isShuffled());
    EXPECT_FALSE(ordered("first").isLastFirst());
    EXPECT_TRUE(ordered("last").isLastFirst());
    EXPECT_FALSE(ordered("last").isShuffled());
    EXPECT_TRUE(ordered("0").isShuffled());
    EXPECT_TRUE(ordered("18446744073709551615").isShuffled());
    for (const char* wrong : {"", "-1", "7 ", "0x7", "middle", "18446744073709551616"})
        EXPECT_FALSE(ordered(wrong).isShuffled()) << wrong;
}

TEST(TurnOrder, BeginsEachGroupOnce) {
    const TurnOrder order = ordered("3");
    for (const std::uint64_t total : {1u, 2u, 3u, 8u, 12u, 1001u}) {
        std::set<std::uint64_t> groups;
        for (std::uint64_t index = 0; index < total; ++index) groups.insert(order.group(5, index, total));
        EXPECT_EQ(groups.size(), total);
        EXPECT_EQ(*groups.rbegin(), total - 1);
    }
    EXPECT_LT(order.group(5, (std::uint64_t{1} << 63) - 1, std::uint64_t{1} << 63), std::uint64_t{1} << 63);
}

TEST(TurnOrder, DependsOnSeedLaunchAndDecision) {
    std::set<std::uint64_t> drawn;
    for (const char* seed : {"1", "2", "3"})
        for (const std::uint64_t launch : {1u, 2u, 3u})
            for (const std::uint64_t decision : {1u, 2u, 3u}) drawn.insert(ordered(seed).draw(launch, decision));
    EXPECT_EQ(drawn.size(), 27u);
    EXPECT_EQ(ordered("9").draw(4, 2), ordered("9").draw(4, 2));
}

constexpr std::uint32_t kItems = 64;   // of a group
constexpr std::uint32_t kThreads = 2;  // of a group, at least: 32 work-items of one come to the atomic as one
constexpr std::uint32_t kGroups = 12;
constexpr std::uint32_t kRounds = 20;

/// The order in which threads of all groups come to an atomic, as often as they do.
std::vector<std::uint32_t> turns(const std::string& order) {
    setenv("ZETL_EMULATOR_ORDER", order.c_str(), 1);
    bench::KernelBench bench("small", 4);
    unsetenv("ZETL_EMULATOR_ORDER");
    const bench::Kernel kernel = bench.build(R"(
        kernel void tickets(global uint* next, global uint* who, uint rounds) {
            for (uint i = 0; i < rounds; ++i) {
                if (get_local_id(0) % 32 == 0)
                    who[atomic_inc(next)] = get_group_id(0) << 8 | get_local_id(0) / 32;
                if (i == rounds / 2) barrier(CLK_LOCAL_MEM_FENCE);
            }
        })",
                                             "tickets");
    auto* const next = bench.buffer(1);
    auto* const who = bench.buffer(kGroups * kItems * kRounds);
    bench.run(kernel, {kItems, 1, 1}, {kGroups, 1, 1}, {next, who, kRounds});
    return {who, who + *next};
}

TEST(TurnOrder, ThreadsAndGroupsOvertakeEachOther) {
    const std::vector<std::uint32_t> seen = turns("7");
    ASSERT_EQ(seen.size(), kGroups * kThreads * kRounds);
    std::set<std::uint32_t> firstTurns(seen.begin(), seen.begin() + kThreads * kRounds);
    EXPECT_GT(firstTurns.size(), kThreads) << "one group does not run alone";
    EXPECT_NE(seen.front() >> 8, seen.back() >> 8);
    std::vector<std::uint32_t> counts(kGroups);
    for (const std::uint32_t turn : seen) ++counts.at(turn >> 8);
    for (const std::uint32_t count : counts) EXPECT_EQ(count, seen.size() / kGroups);
}

TEST(TurnOrder, OfOneSeedIsTheSameInEachRun) {
    const std::vector<std::uint32_t> seven = turns("7");
    EXPECT_EQ(turns("7"), seven);
    EXPECT_NE(turns("8"), seven);
}

}  // namespace
}  // namespace zetl::emulator::machine
