// Counts that arithmetic predicts.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <filesystem>

#include "emulator/machine/timeline.h"
#include "kernel_bench.h"

namespace zetl::emulator::machine::bench {
namespace {

const char* const kCopy =
    "kernel void copy(global const uint* in, global uint* out) { size_t i = get_global_id(0); out[i] = in[i] * 3u; }";

TEST(MachineCounters, BytesMessagesThreadsAndGroups) {
    KernelBench bench;
    const Kernel kernel = bench.build(kCopy, "copy");
    constexpr std::uint32_t kItems = 64 * 100;
    auto* in = bench.buffer(kItems);
    auto* out = bench.buffer(kItems);
    const Snapshot before = bench.tile().counters();
    const auto dispatch = bench.run(kernel, {64, 1, 1}, {100, 1, 1}, {in, out});
    ASSERT_FALSE(dispatch->fault());
    const Counts counts = dispatch->counts();
    const std::uint64_t threads = kItems / kernel.image->environment.simdSize;
    EXPECT_EQ(counts[Counter::dispatches], 1u);
    EXPECT_EQ(counts[Counter::groups], 100u);
    EXPECT_EQ(counts[Counter::threads], threads);
    EXPECT_EQ(counts[Counter::globalBytesRead], kItems * 4u);
    EXPECT_EQ(counts[Counter::globalBytesWritten], kItems * 4u);
    EXPECT_EQ(counts[Counter::slmBytesRead], 0u);
    EXPECT_EQ(counts[Counter::globalAtomics], 0u);
    const std::uint64_t pipes = counts[Counter::floatInstructions] + counts[Counter::integerInstructions] +
                                counts[Counter::mathInstructions] + counts[Counter::matrixInstructions] +
                                counts[Counter::sendInstructions] + counts[Counter::controlInstructions] +
                                counts[Counter::otherInstructions];
    EXPECT_EQ(pipes, counts[Counter::instructions]);
    EXPECT_EQ(counts[Counter::instructions] % threads, 0u) << "straight-line code: every thread executes the same";

    const Snapshot after = bench.tile().counters();
    const Counts difference = after.counts - before.counts;
    for (std::size_t i = 0; i < static_cast<std::size_t>(Counter::activeCycles); ++i)
        EXPECT_EQ(difference.values[i], counts.values[i]) << i;
    EXPECT_GT(after.timestamp, before.timestamp);
    EXPECT_GT(after.coreClocks, before.coreClocks);
    EXPECT_GE(difference[Counter::busyCycles], difference[Counter::activeCycles]);
    EXPECT_GE(difference[Counter::occupiedCycles], difference[Counter::busyCycles]);
}

TEST(MachineCounters, BarriersAtomicsAndLocalMemory) {
    KernelBench bench;
    const Kernel kernel = bench.build(
        "kernel void many(global uint* sum, local uint* tile) { uint l = get_local_id(0);"
        " tile[l] = l; barrier(CLK_LOCAL_MEM_FENCE);"
        " uint v = tile[l ^ 1]; barrier(CLK_LOCAL_MEM_FENCE); atomic_add(sum + (v & 15), v); }",
        "many");
    constexpr std::uint64_t kGroups = 6;
    constexpr std::uint64_t kItems = 128 * kGroups;
    auto* sum = bench.buffer(16);
    const auto dispatch = bench.run(kernel, {128, 1, 1}, {kGroups, 1, 1}, {sum, Argument::local(512)});
    ASSERT_FALSE(dispatch->fault());
    const Counts& counts = dispatch->counts();
    const std::uint64_t threads = kItems / kernel.image->environment.simdSize;
    EXPECT_EQ(counts[Counter::barriers], 2 * threads);
    EXPECT_EQ(counts[Counter::globalAtomics], threads);
    EXPECT_EQ(counts[Counter::slmBytesRead], kItems * 4);
    EXPECT_EQ(counts[Counter::slmBytesWritten], kItems * 4);
    EXPECT_EQ(counts[Counter::slmReads], threads);
    EXPECT_EQ(counts[Counter::slmWrites], threads);
}

TEST(MachineCounters, InstructionCountsAddUp) {
    KernelBench bench("tiny");
    const Kernel kernel = bench.build(
        "kernel void loop(global uint* out, uint n) { uint s = 0; for (uint i = 0; i < n; ++i) s = s * 3 + i;"
        " out[get_global_id(0)] = s; }",
        "loop");
    auto* out = bench.buffer(64);
    const auto dispatch = bench.run(kernel, {64, 1, 1}, {1, 1, 1}, {out, 1000u});
    std::uint64_t sum = 0;
    std::uint64_t most = 0;
    for (const InstructionCount& count : bench.tile().instructionCounts()) {
        EXPECT_GE(count.address, kernel.code->address());
        sum += count.executed;
        most = std::max(most, count.executed);
    }
    EXPECT_EQ(sum, dispatch->counts()[Counter::instructions]);
    EXPECT_GE(most, 100u) << "the loop's instructions stand out";
}

// A thread that waits goes on before the books are done, and finds them done when it reads them.
TEST(MachineCounters, AreWholeAsSoonAsADispatchIsDone) {
    KernelBench bench("small", 4);
    const Kernel kernel = bench.build(kCopy, "copy");
    constexpr std::uint32_t kGroups = 64;
    constexpr std::uint64_t kLaunches = 300;
    auto* in = bench.buffer(64 * kGroups);
    auto* out = bench.buffer(64 * kGroups);
    const Counts before = bench.tile().counters().counts;
    const std::uint64_t instructions =
        bench.run(kernel, {64, 1, 1}, {kGroups, 1, 1}, {in, out})->counts()[Counter::instructions];
    EXPECT_GT(instructions, 0u);
    for (std::uint64_t done = 2; done <= kLaunches; ++done) {
        std::atomic<std::uint64_t> own{0};
        std::atomic<std::uint64_t> all{0};
        const auto dispatch = bench.launch(kernel, {64, 1, 1}, {kGroups, 1, 1}, {in, out}, [&](Dispatch& one) {
            all = (bench.tile().counters().counts - before)[Counter::instructions];
            own = one.counts()[Counter::instructions];
        });
        while (!dispatch->done()) std::this_thread::yield();
        ASSERT_EQ((bench.tile().counters().counts - before)[Counter::instructions], done * instructions);
        ASSERT_EQ(dispatch->counts()[Counter::instructions], instructions);
        ASSERT_TRUE(KernelBench::eventually([&] { return own != 0; }));
        ASSERT_EQ(own, instructions);
        ASSERT_EQ(all, done * instructions);
    }
}

TEST(MachineCounters, TimelineGoesOnWhileIdleAndSeesWork) {
    KernelBench bench("tiny");
    const Kernel kernel = bench.build(kCopy, "copy");
    Timeline timeline(bench.tile(), 1'000'000, 100'000);
    EXPECT_TRUE(KernelBench::eventually([&] { return timeline.pending() > 2; }));
    bench.run(kernel, {64, 1, 1}, {100, 1, 1}, {bench.buffer(6400), bench.buffer(6400)});
    timeline.mark(77);
    SampleLoss lost;
    const std::vector<Sample> samples = timeline.drain(100'000, &lost);
    EXPECT_EQ(lost.samples, 0u);
    for (std::size_t i = 1; i < samples.size(); ++i) {
        EXPECT_GE(samples[i].snapshot.timestamp, samples[i - 1].snapshot.timestamp);
        for (std::size_t c = 0; c < kCounters; ++c) {
            EXPECT_GE(samples[i].snapshot.counts.values[c], samples[i - 1].snapshot.counts.values[c]) << c;
        }
    }
    const bool marked =
        std::any_of(samples.begin(), samples.end(), [](const Sample& s) { return s.marker && s.value == 77; });
    EXPECT_TRUE(marked);
    EXPECT_EQ(samples.back().snapshot.counts[Counter::groups], 100u);

    Timeline small(bench.tile(), 100'000, 4);
    ASSERT_TRUE(KernelBench::eventually([&] { return small.pending() == 4; }));
    ASSERT_TRUE(KernelBench::eventually([&] {
        small.drain(4, &lost);
        return lost.samples > 0;
    }));
}

// ZETL_LOG=emulator=info makes a run tell which opcodes it used and how faithful they are. The log reads its settings
// once in a process, so another one runs.
TEST(MachineCounters, UsageIsReportedAtTheEnd) {
    const std::string command = "ZETL_LOG=emulator=info " + std::filesystem::read_symlink("/proc/self/exe").string() +
                                " --gtest_filter=MachineCounters.BytesMessagesThreadsAndGroups 2>&1";
    FILE* output = popen(command.c_str(), "r");
    ASSERT_NE(output, nullptr);
    std::string log;
    for (int c; (c = std::fgetc(output)) != EOF;) log += static_cast<char>(c);
    EXPECT_EQ(pclose(output), 0);
    EXPECT_NE(log.find("times, exact: mov"), std::string::npos) << log;
    EXPECT_NE(log.find("times, exact: mul"), std::string::npos) << log;
}

}  // namespace
}  // namespace zetl::emulator::machine::bench
