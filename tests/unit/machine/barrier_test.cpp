// Groups whose threads meet at barriers, which one host thread runs: results and counts are those of threads that are
// run one by one, as they are while a debugger is attached.
#include <gtest/gtest.h>

#include <set>

#include "stop_events.h"

namespace zetl::emulator::machine::bench {
namespace {

/// Some threads have fewer lanes than others, and lanes leave the loop between two barriers one by one.
const char* const kMeet =
    "kernel void meet(global uint* out, uint rounds) {"
    "  local uint box[256]; uint l = get_local_id(0), n = get_local_size(0), x = get_global_id(0);"
    "  for (uint r = 0; r < rounds; ++r) {"
    "    box[l] = x; barrier(CLK_LOCAL_MEM_FENCE);"
    "    if ((l + r) % 3 != 0) x = x * 1664525u + box[(l + r) % n];"
    "    for (uint i = 0; i < (x & 7); ++i) x ^= box[(l + i) % n] + i;"
    "    barrier(CLK_LOCAL_MEM_FENCE); }"
    "  out[get_global_id(0)] = x; }";
constexpr std::uint32_t kRounds = 9;
constexpr std::uint32_t kGroups = 20;

void meetOnHost(std::vector<std::uint32_t>& items) {
    const auto n = static_cast<std::uint32_t>(items.size());
    for (std::uint32_t r = 0; r < kRounds; ++r) {
        const std::vector<std::uint32_t> box = items;
        for (std::uint32_t l = 0; l < n; ++l) {
            std::uint32_t& x = items[l];
            if ((l + r) % 3 != 0) x = x * 1664525u + box[(l + r) % n];
            for (std::uint32_t i = 0; i < (x & 7); ++i) x ^= box[(l + i) % n] + i;
        }
    }
}

TEST(Barriers, GroupsDoAndCountTogetherWhatThreadsDoAlone) {
    KernelBench bench("small", 2);
    const Kernel meet = bench.build(kMeet, "meet");
    for (const std::uint32_t size : {256u, 200u, 33u}) {
        auto* together = bench.buffer(size * kGroups);
        auto* alone = bench.buffer(size * kGroups);
        const auto fast = bench.run(meet, {size, 1, 1}, {kGroups, 1, 1}, {together, kRounds});
        ASSERT_FALSE(fast->fault()) << fast->fault().describe();
        StopEvents events;
        ASSERT_TRUE(bench.tile().control().attach(events.sink()));
        const auto slow = bench.run(meet, {size, 1, 1}, {kGroups, 1, 1}, {alone, kRounds});
        bench.tile().control().detach();
        ASSERT_FALSE(slow->fault()) << slow->fault().describe();
        EXPECT_EQ(fast->counts().values, slow->counts().values);
        for (std::uint32_t g = 0; g < kGroups; ++g) {
            std::vector<std::uint32_t> items(size);
            for (std::uint32_t l = 0; l < size; ++l) items[l] = g * size + l;
            meetOnHost(items);
            EXPECT_TRUE(std::equal(items.begin(), items.end(), together + g * size)) << size << " " << g;
            EXPECT_TRUE(std::equal(items.begin(), items.end(), alone + g * size)) << size << " " << g;
        }
    }
}

// It runs several groups a turn, and one that begins near the turn's end is no sign that groups wait for each other:
// the dispatch keeps to its one place.
TEST(Barriers, AGroupMayEndInTheTurnInWhichItBegan) {
    KernelBench bench("small", 1);
    const Kernel where = bench.build(
        "kernel void where(global uint* out, uint rounds, uint at) {"
        "  local uint box[64]; uint mine[64]; uint l = get_local_id(0);"
        "  for (uint i = 0; i < 64; ++i) mine[(i * 7 + at) % 64] = l ^ i;"
        "  for (uint r = 0; r < rounds; ++r) { box[l] = r; barrier(CLK_LOCAL_MEM_FENCE);"
        "    mine[box[63 - l] % 64] += r; barrier(CLK_LOCAL_MEM_FENCE); }"
        "  if (l == 0) { out[2 * get_group_id(0)] = (uint)(ulong)&mine[at]; out[2 * get_group_id(0) + 1] = mine[at]; } "
        "}",
        "where");
    constexpr std::uint32_t kMany = 40;
    auto* out = bench.buffer(2 * kMany);
    const auto places = [&](std::uint32_t rounds) {
        const auto dispatch = bench.run(where, {64, 1, 1}, {kMany, 1, 1}, {out, rounds, 0u});
        EXPECT_FALSE(dispatch->fault()) << dispatch->fault().describe();
        EXPECT_GT(dispatch->counts()[Counter::instructions], 1u << 20);
        std::set<std::uint32_t> seen;
        for (std::uint32_t g = 0; g < kMany; ++g) seen.insert(out[2 * g]);
        return seen.size();
    };
    EXPECT_EQ(places(1000), 1u);
    EXPECT_GT(places(5000), 1u);
}

TEST(Barriers, GroupsThatMeetForeverCanBeStopped) {
    KernelBench bench("small", 1);
    const Kernel forever = bench.build(
        "kernel void forever(global volatile uint* go) {"
        "  while (*go == 0) barrier(CLK_GLOBAL_MEM_FENCE); }",
        "forever");
    const Kernel fill = bench.build("kernel void fill(global uint* out) { out[get_global_id(0)] = 5; }", "fill");
    auto* go = bench.buffer(1);
    auto* out = bench.buffer(32);
    const auto endless = bench.launch(forever, {256, 1, 1}, {3, 1, 1}, {go});
    EXPECT_FALSE(bench.run(fill, {32, 1, 1}, {1, 1, 1}, {out})->fault());
    EXPECT_EQ(out[31], 5u);
    EXPECT_FALSE(endless->done());
    StopEvents events;
    ASSERT_TRUE(bench.tile().control().attach(events.sink()));
    bench.tile().control().halt({}, 1);
    events.next();
    EXPECT_EQ(bench.tile().control().stopped().size(), 3 * 256 / forever.image->environment.simdSize);
    bench.tile().control().detach();
    endless->cancel();
    ASSERT_TRUE(endless->wait(std::chrono::seconds(5)));
    EXPECT_EQ(endless->fault().kind, FaultKind::cancelled);
}

}  // namespace
}  // namespace zetl::emulator::machine::bench
