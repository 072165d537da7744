// Launches side by side: when they work, in the model's time, and how they slow each other down.
#include "emulator/machine/model/work_schedule.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "kernel_bench.h"

namespace zetl::emulator::machine::bench {
namespace {

using Work = WorkSchedule::Work;

ResourceUse takes(Resource resource, std::uint32_t percent) {
    ResourceUse use{};
    use[static_cast<std::size_t>(resource)] = static_cast<std::uint32_t>(std::uint64_t{kFullUse} * percent / 100);
    return use;
}

/// Opens launches under successive numbers, all at time 0, and places them.
struct Schedule {
    WorkSchedule schedule;
    std::vector<std::unique_ptr<int>> launches;
    const void* open(std::optional<WorkSchedule::Time> from = 0) {
        launches.push_back(std::make_unique<int>());
        schedule.open(launches.back().get(), launches.size(), from);
        return launches.back().get();
    }
    WorkSchedule::Placement place(const Work& work, std::optional<WorkSchedule::Time> from = 0) {
        return schedule.place(open(from), work);
    }
};

TEST(WorkSchedule, WhatTakesAllOfAResourceWaits) {
    for (std::size_t i = 0; i < kResources; ++i) {
        Schedule tile;
        const Work work{1000, takes(static_cast<Resource>(i), 100)};
        EXPECT_EQ(tile.place(work).end, 1000u);
        const WorkSchedule::Placement second = tile.place(work);
        EXPECT_EQ(second.begin, 1000u) << "it has not begun before";
        EXPECT_EQ(second.end, 2000u);
        EXPECT_EQ(tile.schedule.shared(), 0u);
    }
}

TEST(WorkSchedule, WhatLeavesEnoughWorksSideBySide) {
    Schedule tile;
    EXPECT_EQ(tile.place({1000, takes(Resource::slots, 50)}).end, 1000u);
    EXPECT_EQ(tile.place({800, takes(Resource::slots, 50)}).end, 800u);
    EXPECT_EQ(tile.schedule.shared(), 800u);
    EXPECT_EQ(tile.place({1000, takes(Resource::memory, 100)}).end, 1000u) << "it needs something else";
    EXPECT_EQ(tile.schedule.shared(), 1800u);
}

TEST(WorkSchedule, OneGetsWhatThoseBeforeItLeave) {
    Schedule tile;
    EXPECT_EQ(tile.place({1000, takes(Resource::memory, 75)}).end, 1000u);
    const WorkSchedule::Placement second = tile.place({1000, takes(Resource::memory, 50)});
    EXPECT_EQ(second.end, 1500u) << "half as fast for 1000 cycles, and then alone";
    EXPECT_EQ(second.waited[static_cast<std::size_t>(Resource::memory)], 500u);
    EXPECT_EQ(tile.schedule.shared(), 1000u);
    EXPECT_EQ(tile.schedule.end(), 1500u);
}

TEST(WorkSchedule, TheOrderOfTheProgramCounts) {
    Schedule tile;
    const Work work{1000, takes(Resource::slots, 10)};
    EXPECT_EQ(tile.place(work).end, 1000u);
    EXPECT_EQ(tile.place(work, 1000).end, 2000u) << "behind the first";
    EXPECT_EQ(tile.place(work, {}).begin, 2000u) << "behind all that is placed";
    EXPECT_EQ(tile.place(work, 500).end, 1500u) << "beside both";
    EXPECT_EQ(tile.schedule.shared(), 1000u);
}

TEST(WorkSchedule, ALaunchAwaitsThoseBeforeItThatBeginBeforeItsEnd) {
    Schedule tile;
    const Work work{1000, takes(Resource::memory, 100)};
    const void* const first = tile.open();
    const void* const second = tile.open();
    EXPECT_TRUE(tile.schedule.mayPlace(first, work));
    EXPECT_FALSE(tile.schedule.mayPlace(second, work));
    tile.schedule.passed(first, 1000);
    EXPECT_TRUE(tile.schedule.mayPlace(second, work)) << "it ends when the other one may begin";
    tile.schedule.passed(first, 999);
    EXPECT_FALSE(tile.schedule.mayPlace(second, work));
    tile.schedule.pause(first, true);
    EXPECT_TRUE(tile.schedule.mayPlace(second, work)) << "that may wait for this launch";
    tile.schedule.pause(first, false);
    EXPECT_FALSE(tile.schedule.mayPlace(second, work));
    tile.schedule.giveUp(second);
    EXPECT_TRUE(tile.schedule.mayPlace(second, work));
    EXPECT_TRUE(tile.schedule.mayPlace(tile.open(), {})) << "the first one holds no launch up any more";
}

TEST(WorkSchedule, ALaunchNeedNotEndLaterBecauseOfOneThatTakesLong) {
    Schedule tile;
    const Work work{1000, takes(Resource::memory, 100)};
    tile.open();
    const void* const second = tile.open();
    const void* const third = tile.open();
    EXPECT_FALSE(tile.schedule.mayEnd(second, work));
    EXPECT_FALSE(tile.schedule.mayEnd(third, work));
    tile.schedule.takesLong(second);
    EXPECT_TRUE(tile.schedule.mayEnd(second, work));
    EXPECT_FALSE(tile.schedule.mayPlace(second, work)) << "the first one still comes before it";
    EXPECT_EQ(tile.schedule.endOf(second, work), 1000u);
    EXPECT_TRUE(tile.schedule.mayEnd(third, work)) << "nor because of one that waits for that";
    EXPECT_FALSE(tile.schedule.mayPlace(third, work));
    tile.schedule.stopWaiting();
    EXPECT_TRUE(tile.schedule.mayPlace(third, work));
}

TEST(WorkSchedule, WhatIsClosedHoldsNobodyUp) {
    Schedule tile;
    const void* const first = tile.open();
    const void* const second = tile.open();
    EXPECT_FALSE(tile.schedule.mayPlace(second, {1, {}}));
    tile.schedule.close(first);
    EXPECT_TRUE(tile.schedule.mayPlace(second, {1, {}}));
    EXPECT_FALSE(tile.schedule.beginOf(first));
}

TEST(WorkSchedule, ManyLaunchesTakeLittleMemory) {
    constexpr std::uint64_t kLaunches = test::effort(10'000u, 5'500u);
    constexpr std::uint64_t kRemembered = 5'000;
    Schedule tile;
    for (std::uint64_t i = 0; i < kLaunches; ++i) tile.place({10, takes(Resource::slots, 100)});
    EXPECT_EQ(tile.schedule.end(), 10 * kLaunches);
    EXPECT_GT(tile.place({10, takes(Resource::memory, 1)}).begin, 10 * (kLaunches - kRemembered))
        << "the beginning is forgotten";
}

/// The cycles that a tile counts for two launches of which the program orders neither behind the other.
struct Pair {
    std::uint64_t alone = 0;
    std::uint64_t both = 0;
    Counts first, second;
};

constexpr const char* kStream = R"(
    kernel void stream(global float4* a, global const float4* b, uint n) {
        for (uint i = get_global_id(0); i < n; i += get_global_size(0)) a[i] = b[i] + 1.0f;
    })";
constexpr const char* kLoop = R"(
    kernel void loop(global float* out, float x, uint n) {
        float sum = x;
        for (uint i = 0; i < n; ++i) sum = sum * x + 1.0f;
        out[get_global_id(0)] = sum;
    })";

enum class Execute : std::uint8_t { together, oneByOne };

/// The launches execute at the same time or one after the other: the program has said only that none follows another.
template <class Prepare>
Pair sideBySide(KernelBench& bench, Prepare&& prepare, Execute how) {
    const auto collecting = bench.tile().collect();
    const auto cycles = [&] { return bench.tile().counters().counts[Counter::workCycles]; };
    const auto submit = [&](int which, std::uint64_t after) {
        Launch launch = prepare(which);
        launch.after = after;
        return bench.tile().submit(std::move(launch));
    };
    Pair pair;
    const auto cold = submit(0, 0);
    cold->wait();
    pair.alone = cycles();
    const auto alone = submit(0, cold->workEnd());
    alone->wait();
    const std::uint64_t end = alone->workEnd();
    const std::uint64_t before = cycles();
    pair.alone = before - pair.alone;
    const auto first = submit(0, end);
    if (how == Execute::oneByOne) first->wait();
    const auto second = submit(1, end);
    first->wait();
    second->wait();
    pair.both = cycles() - before;
    pair.first = first->counts();
    pair.second = second->counts();
    return pair;
}

// Work-groups of eight threads, which take all slots or half of them.
constexpr std::uint32_t kAllSlots = 128;
constexpr std::uint32_t kHalfOfSlots = 32;

/// Each launch has memory of its own, so that L3 has none of its lines.
Launch streamOn(KernelBench& bench, const Kernel& kernel, std::uint32_t groups) {
    constexpr std::uint32_t kElements = 1 << 18;
    const auto place = [&] { return reinterpret_cast<std::uint64_t>(bench.buffer<float>(4 * kElements)); };
    return bench.prepare(kernel, {256, 1, 1}, {groups, 1, 1}, {place(), place(), kElements});
}

auto streamsOn(KernelBench& bench, std::uint32_t groups) {
    return [&bench, kernel = bench.build(kStream, "stream"), groups](int) { return streamOn(bench, kernel, groups); };
}

Pair streams(std::uint32_t workers, Execute how, std::uint32_t groups) {
    KernelBench bench{"small", workers};
    return sideBySide(bench, streamsOn(bench, groups), how);
}

/// Each has a work-group for half of the slots of each sub-slice.
Pair loops(std::uint32_t workers, Execute how) {
    KernelBench bench{"small", workers};
    const Kernel kernel = bench.build(kLoop, "loop");
    const auto out = reinterpret_cast<std::uint64_t>(bench.buffer<float>(1 << 20));
    constexpr std::uint32_t kIterations = test::effort(1000u, 50u);
    const auto prepare = [&](int) { return bench.prepare(kernel, {1024, 1, 1}, {8, 1, 1}, {out, 1.5f, kIterations}); };
    return sideBySide(bench, prepare, how);
}

TEST(SideBySide, WhatTakesAllOfTheBandwidthTakesAsLongAsOneBehindTheOther) {
    const Pair pair = streams(2, Execute::together, kAllSlots);
    EXPECT_GT(pair.both, pair.alone * 19 / 10);
    EXPECT_LT(pair.both, pair.alone * 21 / 10);
    EXPECT_EQ(pair.second[Counter::workCycles], pair.both) << "it works from the beginning to the end";
    EXPECT_EQ(pair.second[Counter::memoryBytesRead], pair.first[Counter::memoryBytesRead]);
}

TEST(SideBySide, WhatGetsLessBandwidthWaitsForItsLines) {
    const Pair pair = streams(2, Execute::together, kHalfOfSlots);
    EXPECT_GT(pair.both, pair.alone) << "each needs more than half of the links";
    EXPECT_LT(pair.both, pair.alone * 13 / 10);
    EXPECT_EQ(pair.first[Counter::workCycles], pair.alone);
    const auto more = [&](Counter counter) { return pair.second[counter] - pair.first[counter]; };
    EXPECT_GT(more(Counter::tokenStalls), pair.first[Counter::tokenStalls] / 20);
    EXPECT_EQ(more(Counter::tokenStalls), more(Counter::occupiedCycles));
}

TEST(SideBySide, WhatLeavesSlotsAndPipesTakesAsLongAsOne) {
    const Pair pair = loops(2, Execute::together);
    EXPECT_EQ(pair.both, pair.alone);
    EXPECT_EQ(pair.second[Counter::workCycles], pair.first[Counter::workCycles]);
    EXPECT_EQ(pair.second[Counter::occupiedCycles], pair.first[Counter::occupiedCycles]);
}

TEST(SideBySide, StatesOfThreadsStillAddUp) {
    KernelBench bench{"small", 2};
    const auto prepare = streamsOn(bench, kHalfOfSlots);
    sideBySide(bench, prepare, Execute::together);
    const Counts counts = bench.tile().counters().counts;
    std::uint64_t states = counts[Counter::instructions];
    for (auto stall = static_cast<std::size_t>(Counter::controlStalls);
         stall <= static_cast<std::size_t>(Counter::otherStalls); ++stall)
        states += counts.values[stall];
    EXPECT_EQ(states, counts[Counter::occupiedCycles]);
    std::uint64_t byAddress = 0;
    for (const InstructionStalls& at : bench.tile().stalls())
        byAddress = std::accumulate(at.cycles.begin(), at.cycles.end(), byAddress);
    EXPECT_EQ(byAddress, counts[Counter::occupiedCycles]);
    EXPECT_GE(counts[Counter::busyCycles], counts[Counter::activeCycles]);
}

TEST(SideBySide, TheHostDecidesNothing) {
    const Pair expected[] = {streams(1, Execute::oneByOne, kHalfOfSlots), loops(1, Execute::oneByOne)};
    for (const std::uint32_t workers : {1u, 2u, 7u}) {
        for (int run = 0; run < test::effort(5, 1); ++run) {
            const Pair pairs[] = {streams(workers, Execute::together, kHalfOfSlots), loops(workers, Execute::together)};
            for (std::size_t i = 0; i < std::size(pairs); ++i) {
                EXPECT_EQ(pairs[i].both, expected[i].both) << workers;
                EXPECT_EQ(pairs[i].first, expected[i].first) << workers;
                EXPECT_EQ(pairs[i].second, expected[i].second) << workers;
            }
        }
    }
}

/// The first launch waits until the host has seen the second one end.
TEST(SideBySide, WhatWaitsForALaterLaunchDoesNotHoldItUpForever) {
    KernelBench bench{"small", 2};
    const Kernel waits =
        bench.build("kernel void waits(volatile global uint* flag) { while (*flag == 0) {} }", "waits");
    const Kernel ends = bench.build("kernel void ends(global uint* out) { *out = 1; }", "ends");
    auto* const flag = bench.buffer(2);
    const auto collecting = bench.tile().collect();
    const auto first = bench.launch(waits, {16, 1, 1}, {1, 1, 1}, {reinterpret_cast<std::uint64_t>(flag)});
    const auto second = bench.launch(ends, {16, 1, 1}, {1, 1, 1}, {reinterpret_cast<std::uint64_t>(flag + 1)});
    second->wait();
    EXPECT_FALSE(first->done());
    __atomic_store_n(flag, 1u, __ATOMIC_SEQ_CST);
    first->wait();
    EXPECT_FALSE(first->fault());
}

/// The host expects a launch of number 1. It has a lower number than the others, and so comes first.
struct ExpectsTheFirst {
    KernelBench bench{"small", 2};
    Kernel kernel = bench.build(kStream, "stream");
    std::shared_ptr<void> collecting = bench.tile().collect();
    std::uint64_t begin = 0;
    std::shared_ptr<ExpectedWork> expected;
    ExpectsTheFirst() {
        const auto before = submit(1);  // brings what all launches share
        before->wait();
        begin = before->workEnd();
        expected = bench.tile().expect(1, begin);
    }
    std::shared_ptr<Dispatch> submit(std::uint64_t number) {
        Launch launch = streamOn(bench, kernel, kHalfOfSlots);
        launch.submission = number;
        launch.after = begin;
        return bench.tile().submit(std::move(launch));
    }
    std::shared_ptr<Dispatch> submitTheFirst() {
        auto first = submit(1);
        first->wait();
        expected.reset();
        return first;
    }
};

TEST(SideBySide, ALaunchAwaitsWhatTheHostHasYetToSubmit) {
    ExpectsTheFirst tile;
    ASSERT_NE(tile.expected, nullptr);
    const auto second = tile.submit(2);
    EXPECT_FALSE(second->wait(std::chrono::milliseconds(20)));
    const auto first = tile.submitTheFirst();
    second->wait();
    EXPECT_LT(first->workEnd(), second->workEnd());
}

TEST(SideBySide, ALaunchThatTheHostSubmitsVeryLateKeepsItsPlace) {
    ExpectsTheFirst tile;
    const auto second = tile.submit(2);
    second->wait();
    const std::uint64_t alone = second->workEnd();
    const auto first = tile.submitTheFirst();
    EXPECT_EQ(first->workEnd(), alone) << "it has all that it needs";
    EXPECT_GT(second->workEnd(), alone) << "it gets the rest";
    EXPECT_EQ(second->counts()[Counter::workCycles], second->workEnd() - tile.begin) << "it began as early";
}

TEST(SideBySide, CountsThatAreReadAreFinal) {
    ExpectsTheFirst tile;
    const auto second = tile.submit(2);
    second->wait();
    const std::uint64_t cycles = second->counts()[Counter::workCycles];
    const auto first = tile.submitTheFirst();
    EXPECT_EQ(second->workEnd() - tile.begin, cycles);
    EXPECT_GT(first->workEnd(), second->workEnd()) << "it gets the rest";
}

TEST(SideBySide, ManyLaunchesTakeTheirPlacesBeforeOneThatIsVeryLate) {
    constexpr std::uint64_t kLaunches = 24;
    ExpectsTheFirst tile;
    for (std::uint64_t number = 2; number < kLaunches; ++number) tile.submit(number)->wait();
    const auto first = tile.submitTheFirst();
    ExpectsTheFirst other;
    EXPECT_GT(first->workEnd(), other.submitTheFirst()->workEnd());
}

TEST(SideBySide, NothingIsExpectedWhileNobodyCollects) {
    KernelBench bench{"small", 1};
    EXPECT_EQ(bench.tile().expect(1, 0), nullptr);
}

}  // namespace
}  // namespace zetl::emulator::machine::bench
