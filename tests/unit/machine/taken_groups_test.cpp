// Groups that a place takes several at a time: the ids, memory, counts, faults and stops of groups one by one.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "stop_events.h"
#include "support/wait_for.h"

namespace zetl::emulator::machine::bench {
namespace {

constexpr std::uint32_t kGroupItems = 256;  // of a group: eight threads

const char* const kIdsOfGroups =
    "kernel void ids(global uint* out) {"
    "  uint group = get_group_id(0) + get_num_groups(0) * (get_group_id(1) + get_num_groups(1) * get_group_id(2));"
    "  out[group * 256 + get_local_id(0)] += get_group_id(0) + get_group_id(1) * 1000 + get_group_id(2) * 1000000"
    "    + get_local_id(0) * 7 + 1; }";
const char* const kTriple =
    "kernel void triple(global const uint* in, global uint* out) {"
    "  size_t i = get_global_id(0); out[i] = in[i] * 3u + 1u; }";
const char* const kAgain =
    "kernel void again(global uint* out) { uint i = get_global_id(0); out[i & 0xffff] = i & 0xffff; }";

void expectCounts(const Kernel& kernel, const Counts& counts, std::uint64_t groups, std::uint64_t bytesRead) {
    const std::uint64_t threads = groups * kGroupItems / kernel.image->environment.simdSize;
    EXPECT_EQ(counts[Counter::groups], groups);
    EXPECT_EQ(counts[Counter::threads], threads);
    EXPECT_EQ(counts[Counter::globalBytesWritten], groups * kGroupItems * 4);
    EXPECT_EQ(counts[Counter::globalBytesRead], bytesRead);
    EXPECT_EQ(counts[Counter::instructions] % threads, 0u) << "every thread executes the same";
}

TEST(TakenGroups, HaveTheIdsOfGridsOfAnyShape) {
    for (const std::uint32_t workers : {1u, 3u}) {
        KernelBench bench("small", workers);
        const Kernel kernel = bench.build(kIdsOfGroups, "ids");
        std::uint64_t linesOfAThread = 0;
        for (const Extent count : {Extent{1, 1, 1}, Extent{2, 1, 1}, Extent{33, 1, 1}, Extent{1009, 1, 1},
                                   Extent{3, 337, 1}, Extent{1, 1, 301}, Extent{7, 5, 31}, Extent{64, 2, 3}}) {
            const std::uint32_t groups = count[0] * count[1] * count[2];
            auto* out = bench.buffer(std::size_t{groups} * kGroupItems);
            const auto dispatch = bench.run(kernel, {kGroupItems, 1, 1}, count, {out});
            ASSERT_FALSE(dispatch->fault()) << dispatch->fault().describe();
            for (std::uint32_t i = 0; i < groups * kGroupItems; ++i) {
                const std::uint32_t group = i / kGroupItems;
                const std::uint32_t expected = group % count[0] + group / count[0] % count[1] * 1000 +
                                               group / count[0] / count[1] * 1000000 + i % kGroupItems * 7 + 1;
                ASSERT_EQ(out[i], expected) << i << " of " << groups << " groups, " << workers << " workers";
            }
            expectCounts(kernel, dispatch->counts(), groups, std::uint64_t{groups} * kGroupItems * 4);
            const std::uint64_t lines =
                dispatch->counts()[Counter::instructions] / dispatch->counts()[Counter::threads];
            if (linesOfAThread == 0) linesOfAThread = lines;
            EXPECT_EQ(lines, linesOfAThread);
        }
    }
}

TEST(TakenGroups, OfWhichTheLastThreadHasFewerLanesAreWhole) {
    constexpr std::uint32_t kGroups = 37;
    for (const std::uint32_t workers : {1u, 3u})
        for (const std::uint32_t items : {1u, 15u, 16u, 31u, 33u, 63u, 100u, 250u, 1000u}) {
            KernelBench bench("small", workers);
            const Kernel kernel = bench.build(kTriple, "triple");
            auto* in = bench.buffer(std::size_t{kGroups} * items);
            auto* out = bench.buffer(std::size_t{kGroups} * items + 1);
            std::iota(in, in + kGroups * items, 5);
            const auto dispatch = bench.run(kernel, {items, 1, 1}, {kGroups, 1, 1}, {in, out});
            ASSERT_FALSE(dispatch->fault()) << dispatch->fault().describe();
            for (std::uint32_t i = 0; i < kGroups * items; ++i) ASSERT_EQ(out[i], (i + 5) * 3 + 1) << i << " " << items;
            EXPECT_EQ(out[kGroups * items], 0u);
            const std::uint32_t simd = kernel.image->environment.simdSize;
            const Counts counts = dispatch->counts();
            EXPECT_EQ(counts[Counter::groups], kGroups);
            EXPECT_EQ(counts[Counter::threads], kGroups * ((items + simd - 1) / simd));
            EXPECT_EQ(counts[Counter::globalBytesRead], std::uint64_t{kGroups} * items * 4);
            EXPECT_EQ(counts[Counter::globalBytesWritten], std::uint64_t{kGroups} * items * 4);
            EXPECT_EQ(counts[Counter::instructions] % counts[Counter::threads], 0u);
        }
}

TEST(TakenGroups, MayBePartOfAGrid) {
    KernelBench bench("small", 1);
    const Kernel kernel = bench.build(kIdsOfGroups, "ids");
    constexpr Extent kFirst{3, 2, 1};
    constexpr Extent kPart{5, 41, 2};
    constexpr Extent kGrid{11, 50, 4};
    auto* out = bench.buffer(std::size_t{kGrid[0]} * kGrid[1] * kGrid[2] * kGroupItems);
    Launch launch = bench.prepare(kernel, {kGroupItems, 1, 1}, kGrid, {out});
    launch.firstGroup = kFirst;
    launch.groupCount = kPart;
    const auto dispatch = bench.tile().submit(std::move(launch), {});
    ASSERT_TRUE(dispatch->wait(std::chrono::minutes(1)));
    ASSERT_FALSE(dispatch->fault()) << dispatch->fault().describe();
    const auto isIn = [&](std::uint32_t id, std::size_t d) { return id >= kFirst[d] && id < kFirst[d] + kPart[d]; };
    for (std::uint32_t group = 0; group < kGrid[0] * kGrid[1] * kGrid[2]; ++group) {
        const Extent id{group % kGrid[0], group / kGrid[0] % kGrid[1], group / kGrid[0] / kGrid[1]};
        const bool in = isIn(id[0], 0) && isIn(id[1], 1) && isIn(id[2], 2);
        for (const std::uint32_t item : {0u, kGroupItems - 1})
            ASSERT_EQ(out[group * kGroupItems + item], in ? id[0] + id[1] * 1000 + id[2] * 1000000 + item * 7 + 1 : 0)
                << group;
    }
}

TEST(TakenGroups, EndWithTheFirstFaultOfAThread) {
    constexpr std::uint32_t kGroups = 400;
    for (const std::uint32_t missing : {0u, 1u, 31u, 100u, kGroupItems - 1}) {
        const auto strict = KernelBench::strict("small", 1);
        KernelBench& bench = *strict;
        const Kernel kernel = bench.build(kTriple, "triple");
        constexpr std::uint32_t kGood = 277;
        const std::uint32_t simd = kernel.image->environment.simdSize;
        const std::uint32_t readable = kGood * kGroupItems + missing;
        auto* in = bench.buffer(readable);
        auto* out = bench.buffer(std::size_t{kGroups} * kGroupItems);
        for (std::uint32_t i = 0; i < readable; ++i) in[i] = i;
        const auto dispatch = bench.run(kernel, {kGroupItems, 1, 1}, {kGroups, 1, 1}, {in, out});
        const Fault& fault = dispatch->fault();
        ASSERT_TRUE(fault);
        EXPECT_EQ(fault.kind, FaultKind::pageFault);
        EXPECT_EQ(fault.group, (Extent{kGood, 0, 0}));
        EXPECT_EQ(fault.threadInGroup, missing / simd);
        EXPECT_EQ(fault.address, reinterpret_cast<std::uint64_t>(in + readable));
        EXPECT_EQ(dispatch->counts()[Counter::groups], kGood + 1);
        const std::uint32_t done = kGood * kGroupItems + missing / simd * simd;
        for (std::uint32_t i = 0; i < kGroups * kGroupItems; ++i) ASSERT_EQ(out[i], i < done ? i * 3 + 1 : 0) << i;
        EXPECT_EQ(dispatch->counts()[Counter::globalBytesWritten], done * 4u);
    }
}

/// A launch of groups that end as soon as they have begun, halted again and again.
class HaltedLaunch {
  public:
    static constexpr std::uint32_t kGroups = 1 << 17;
    static constexpr std::uint32_t kItems = 32;
    static constexpr std::uint32_t kMask = 0xffff;

    HaltedLaunch()
        : kernel_(bench_.build(kAgain, "again")),
          out_(bench_.buffer(kMask + 1)),
          dispatch_(bench_.launch(kernel_, {kItems, 1, 1}, {kGroups, 1, 1}, {out_})) {}

    /// How many halts there were before its end: none if it had ended when this thread first had its turn.
    std::uint64_t halts() {
        EXPECT_TRUE(KernelBench::eventually([&] { return begun() > 0; }));
        std::uint64_t halts = 0;
        while (halts < 100 && !dispatch_->wait({})) haltOnce(halts++);
        return halts;
    }

    void expectComplete() const {
        ASSERT_TRUE(dispatch_->wait(std::chrono::minutes(1)));
        ASSERT_FALSE(dispatch_->fault()) << dispatch_->fault().describe();
        for (std::uint32_t i = 0; i <= kMask; ++i) ASSERT_EQ(out_[i], i);
        EXPECT_EQ(dispatch_->counts()[Counter::groups], kGroups);
        EXPECT_EQ(dispatch_->counts()[Counter::globalBytesWritten], std::uint64_t{kGroups} * kItems * 4);
    }

  private:
    std::uint64_t begun() { return bench_.tile().counters().counts[Counter::groups]; }

    void haltOnce(std::uint64_t token) {
        Control& control = bench_.tile().control();
        ASSERT_TRUE(control.attach(events_.sink()));
        control.halt({}, token);
        const StopEvent event = events_.next();
        EXPECT_EQ(event.token, token);
        const std::uint64_t before = begun();
        EXPECT_TRUE(event.stopped > 0 || before == kGroups) << "of groups that end one after the other some are found";
        EXPECT_FALSE(test::waitFor([&] { return begun() != before; }, std::chrono::milliseconds(1)))
            << "nothing begins while all is halted";
        control.detach();
        EXPECT_TRUE(KernelBench::eventually([&] { return begun() > before || dispatch_->wait({}); }));
    }

    KernelBench bench_{"small", 2};
    Kernel kernel_;
    std::uint32_t* out_;
    StopEvents events_;
    std::shared_ptr<Dispatch> dispatch_;
};

TEST(TakenGroups, WaitForADebuggerThatComesInTheMiddle) {
    std::uint64_t halts = 0;
    for (int launches = 0; halts == 0 && launches < 100; ++launches) {
        HaltedLaunch launch;
        halts = launch.halts();
        launch.expectComplete();
    }
    EXPECT_GT(halts, 0u);
}

/// Short ones with a barrier, whose threads do not run together.
TEST(TakenGroups, MeetAtBarriers) {
    constexpr std::uint32_t kGroups = 300;
    KernelBench bench("small", 3);
    const Kernel kernel = bench.build(
        "kernel void turn(global const uint* in, global uint* out) {"
        "  local uint box[256]; uint l = get_local_id(0); box[l] = in[get_global_id(0)];"
        "  barrier(CLK_LOCAL_MEM_FENCE); out[get_global_id(0)] += box[255 - l]; }",
        "turn");
    auto* in = bench.buffer(std::size_t{kGroups} * kGroupItems);
    auto* out = bench.buffer(std::size_t{kGroups} * kGroupItems);
    std::iota(in, in + kGroups * kGroupItems, 1);
    const auto dispatch = bench.run(kernel, {kGroupItems, 1, 1}, {kGroups, 1, 1}, {in, out});
    ASSERT_FALSE(dispatch->fault()) << dispatch->fault().describe();
    for (std::uint32_t i = 0; i < kGroups * kGroupItems; ++i)
        ASSERT_EQ(out[i], (i / kGroupItems + 1) * kGroupItems - i % kGroupItems) << i;
    EXPECT_EQ(dispatch->counts()[Counter::groups], kGroups);
}

/// Behind many that end at once, groups with even numbers wait for the next group, which must not be behind them in
/// their own place.
TEST(TakenGroups, AreNotThoseThatWaitForLaterOnes) {
    constexpr std::uint32_t kGroups = 600;
    constexpr std::uint32_t kFirst = 300;
    KernelBench bench("small", 2);
    const Kernel kernel = bench.build(
        "kernel void pairs(global volatile uint* began, uint first) {"
        "  uint g = get_group_id(0); began[g] = 1;"
        "  if (g >= first && g < first + 16 && (g & 1) == 0) while (began[g + 1] == 0) ;"
        "  began[g] = 2; }",
        "pairs");
    auto* began = bench.buffer(kGroups);
    const auto dispatch = bench.launch(kernel, {1, 1, 1}, {kGroups, 1, 1}, {began, kFirst});
    const bool ended = dispatch->wait(std::chrono::minutes(1));
    if (!ended) dispatch->cancel();
    ASSERT_TRUE(ended);
    ASSERT_FALSE(dispatch->fault()) << dispatch->fault().describe();
    EXPECT_EQ(std::count(began, began + kGroups, 2u), kGroups);
}

TEST(TakenGroups, EndSoonWhenTheirDispatchIsCancelled) {
    constexpr std::uint32_t kGroups = 1 << 20;
    KernelBench bench("small", 1);
    const Kernel kernel = bench.build(kAgain, "again");
    auto* out = bench.buffer(0x10000);
    const auto dispatch = bench.launch(kernel, {kGroupItems, 1, 1}, {kGroups, 1, 1}, {out});
    ASSERT_TRUE(KernelBench::eventually([&] { return bench.tile().counters().counts[Counter::groups] > 0; }));
    dispatch->cancel();
    ASSERT_TRUE(dispatch->wait(std::chrono::minutes(1)));
    EXPECT_EQ(dispatch->fault().kind, FaultKind::cancelled);
    EXPECT_LT(dispatch->counts()[Counter::groups], kGroups);
}

}  // namespace
}  // namespace zetl::emulator::machine::bench
