// Where the system gives fewer threads than there are workers.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iterator>

#include "emulated_gpu/misfortune.h"
#include "kernel_bench.h"
#include "support/wait_for.h"

namespace zetl::emulator::machine::bench {
namespace {

using std::chrono::seconds;
using test::allowThreads;

const char* const kCount = "kernel void count(global uint* out) { out[get_global_id(0)] = get_group_id(0) + 1; }";

// One dispatch is left to the thread that waits for it, and the next asks for more threads than can be started.
TEST(Shortage, AWorkerThatSleepsIsCalledIfNoOtherCanBeStarted) {
    constexpr std::uint32_t kItems = 32;
    constexpr std::uint32_t kGroups = 4;
    KernelBench bench("small", 3);
    const Kernel kernel = bench.build(kCount, "count");
    auto* out = bench.buffer(kItems * kGroups);
    allowThreads(1);
    ASSERT_FALSE(bench.run(kernel, {kItems, 1, 1}, {1, 1, 1}, {out})->fault());
    ASSERT_TRUE(test::waitFor(test::othersAreAsleep));
    Launch awaited = bench.prepare(kernel, {kItems, 1, 1}, {1, 1, 1}, {out});
    awaited.awaited = true;
    const auto first = bench.tile().submit(std::move(awaited), {});
    const auto second = bench.tile().submit(bench.prepare(kernel, {kItems, 1, 1}, {kGroups, 1, 1}, {out}), {});
    EXPECT_TRUE(first->wait(seconds(10)));
    EXPECT_TRUE(second->wait(seconds(10)));
    allowThreads(test::kAnyNumber);
    const auto threads = [] { return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {}); };
    const auto before = threads();
    EXPECT_TRUE(test::waitFor([&] {  // it asks again after a second
        EXPECT_FALSE(bench.run(kernel, {kItems, 1, 1}, {kGroups, 1, 1}, {out})->fault());
        return threads() > before;
    }));
    EXPECT_TRUE(second->wait(seconds(10)));
    EXPECT_EQ(out[kItems * kGroups - 1], kGroups);
}

/// Whichever allocation of a recorded launch fails: it goes on without its history, or fails as without one.
TEST(Shortage, ARecordedLaunchGoesOnWithoutMemoryForItsHistory) {
    constexpr std::uint32_t kItems = 32;
    constexpr std::uint32_t kGroups = 20;
    setenv("ZETL_EMULATOR_RECORD", "1", 1);
    KernelBench bench("tiny", 1);
    unsetenv("ZETL_EMULATOR_RECORD");
    const Kernel kernel = bench.build(kCount, "count");
    auto* out = bench.buffer(kItems * kGroups);
    long failures = 0;
    for (long n = 1; n < 4000; n += n < 32 ? 1 : n / 4) {
        std::fill_n(out, kItems * kGroups, 0);
        test::failWorkersAllocation(n);
        const auto launch = bench.run(kernel, {kItems, 1, 1}, {kGroups, 1, 1}, {out});
        const bool failed = test::allocationFailed();
        test::failWorkersAllocation(0);
        failures += failed;
        if (launch->fault()) {
            EXPECT_EQ(launch->fault().kind, FaultKind::outOfMemory) << n;
            EXPECT_TRUE(failed) << n;
        } else {
            for (std::uint32_t i = 0; i < kItems * kGroups; ++i) ASSERT_EQ(out[i], i / kItems + 1) << n;
        }
        if (!failed) break;
    }
    EXPECT_GT(failures, 0);
}

}  // namespace
}  // namespace zetl::emulator::machine::bench
