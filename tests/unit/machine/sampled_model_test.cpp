// The timing model if it looks at a sample of the work-groups.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "emulator/machine/model/known_lines.h"
#include "emulator/machine/model/launch_memory.h"
#include "emulator/machine/model/memory_system.h"
#include "emulator/machine/model/sample_error.h"
#include "emulator/machine/model/sample_plan.h"
#include "emulator/machine/model/shared_lines.h"
#include "emulator/machine/model_detail.h"
#include "kernel_bench.h"

namespace zetl::emulator::machine::bench {
namespace {

TEST(SamplePlan, NumbersTheGroupsOfTheSampleInTheirOrder) {
    constexpr std::uint32_t kSubslices = 64;
    constexpr std::uint64_t kHeld = 2;
    for (const std::uint64_t groups : {1u, 2u, 3u, 16u, 63u, 64u, 65u, 1000u, 5000u, 70'001u}) {
        const SamplePlan plan = SamplePlan::sampled(groups, kSubslices, kHeld);
        std::uint64_t number = 0;
        std::uint64_t others = 0;
        for (std::uint64_t group = groups; group-- > 0;) {
            others = plan.contains(group) ? 0 : others + 1;
            ASSERT_EQ(plan.othersFrom(group, groups - group), others) << group << " of " << groups;
        }
        for (std::uint64_t group = 0; group < groups; ++group) {
            if (!plan.contains(group)) continue;
            ASSERT_EQ(plan.numberOf(group), number) << group << " of " << groups;
            ++number;
        }
        EXPECT_EQ(plan.count(), number) << groups;
        EXPECT_TRUE(plan.contains(0));
    }
}

TEST(SamplePlan, BatchesStandForAllGroups) {
    for (const std::uint64_t groups : {3u, 65u, 1000u, 5000u, 70'001u}) {
        const SamplePlan plan = SamplePlan::sampled(groups, 64, 2);
        std::uint64_t all = 0;
        std::uint64_t sampled = 0;
        for (std::uint64_t batch = 0; sampled < plan.count(); ++batch) {
            const SamplePlan::Weights weights = plan.weightsOf(batch);
            EXPECT_GE(weights.counts.all, weights.cycles.replayed);
            EXPECT_GE(weights.cycles.replayed, weights.counts.replayed);
            all += weights.counts.all;
            sampled += weights.counts.replayed;
        }
        EXPECT_EQ(all, groups);
        EXPECT_EQ(sampled, plan.count());
    }
}

TEST(SamplePlan, ABatchLiesInTheMiddleOfThoseThatItStandsFor) {
    constexpr std::uint64_t kBatch = 64 * 4 * 2;
    const SamplePlan plan = SamplePlan::sampled(8 * kBatch, 64, 2);
    std::vector<std::uint64_t> places;
    for (std::uint64_t place = 0; place < 8; ++place)
        if (plan.contains(place * kBatch)) places.push_back(place);
    EXPECT_EQ(places, (std::vector<std::uint64_t>{0, 1, 4}));
    EXPECT_TRUE(plan.leavesRowsOut());
    EXPECT_FALSE(SamplePlan::sampled(kBatch, 64, 2).leavesRowsOut());
    EXPECT_FALSE(SamplePlan::whole(8 * kBatch, 64, 2).leavesRowsOut());
    EXPECT_EQ(plan.weightsOf(1).cycles.of(1000), 1000u);
    EXPECT_EQ(plan.weightsOf(2).cycles.of(1000), 12'000u) << "six batches, by half of one";
}

TEST(SamplePlan, HalfOfTheLastBatchIsEnough) {
    constexpr std::uint64_t kBatch = 64 * 4 * 2;
    const SamplePlan two = SamplePlan::sampled(2 * kBatch, 64, 2);
    EXPECT_EQ(two.count(), 2u * (8 + 4)) << "of two columns";
    EXPECT_TRUE(two.contains(kBatch + kBatch / 2 - 64));
    EXPECT_FALSE(two.contains(kBatch + kBatch / 2));
    EXPECT_TRUE(two.leavesRowsOut());
    EXPECT_EQ(two.weightsOf(0).cycles.of(1000), 1000u);
    EXPECT_EQ(two.weightsOf(1).cycles.of(1000), 2000u);
    EXPECT_EQ(two.weightsOf(1).counts.of(1000), 64'000u);
    const SamplePlan less = SamplePlan::sampled(kBatch + kBatch / 2, 64, 2);
    EXPECT_EQ(less.count(), two.count());
    EXPECT_FALSE(less.leavesRowsOut());
    EXPECT_EQ(SamplePlan::sampled(3 * kBatch, 64, 2).count(), 2u * (8 + 8 + 4)) << "of the third";
    EXPECT_EQ(SamplePlan::sampled(8 * kBatch, 64, 2).count(), 2u * (8 + 8 + 4)) << "it stands for six";
}

TEST(SamplePlan, AShortRestBelongsToTheBatchBeforeIt) {
    constexpr std::uint64_t kBatch = 64 * 4 * 2;
    for (const std::uint64_t batches : {1u, 2u, 3u, 8u}) {
        const SamplePlan whole = SamplePlan::sampled(batches * kBatch, 64, 2);
        const SamplePlan longer = SamplePlan::sampled(batches * kBatch + kBatch / 8 - 1, 64, 2);
        EXPECT_EQ(longer.count(), whole.count()) << batches;
        EXPECT_FALSE(longer.contains(batches * kBatch)) << batches;
        EXPECT_GT(SamplePlan::sampled(batches * kBatch + kBatch / 8, 64, 2).count(), whole.count() - 8) << batches;
    }
    EXPECT_EQ(SamplePlan::sampled(1, 64, 2).count(), 1u);
    EXPECT_EQ(SamplePlan::sampled(8 * kBatch + 2, 64, 2).weightsOf(2).counts.all, 6 * kBatch + 2);
}

TEST(SamplePlan, AWholeOneContainsEveryGroup) {
    const SamplePlan plan = SamplePlan::whole(1000, 8, 4);
    EXPECT_TRUE(plan.isWhole());
    EXPECT_EQ(plan.count(), 1000u);
    EXPECT_EQ(plan.batch(), 32u);
    EXPECT_EQ(plan.numberOf(777), 777u);
    EXPECT_EQ(plan.weightsOf(1).counts.of(123), 123u);
}

TEST(SharedLines, LinesOfOneSubsliceComeForEachAndThoseOfAllComeOnce) {
    constexpr std::uint32_t kSubslices = 64;
    constexpr std::uint32_t kLines = 512;
    SharedLines lines;
    lines.begin(2, kSubslices);
    for (std::uint32_t line = 0; line < kLines; ++line) lines.missed(line, 0, SharedLines::Use::read, {}, 0);
    EXPECT_EQ(lines.read().estimated, kLines * kSubslices / 2);
    std::uint32_t brought = 0;
    for (std::uint32_t line = 0; line < kLines; ++line) brought += lines.othersBring(line);
    EXPECT_EQ(brought, 0u) << "nobody else uses them";
    for (std::uint32_t line = 0; line < kLines; ++line) {
        lines.found(line, 0, 0);  // it brought the line itself
        lines.found(line, 1, 0);
        lines.found(line, 1, 0);
    }
    EXPECT_EQ(lines.read().estimated, kLines);
    EXPECT_EQ(lines.read().alone, kLines * kSubslices / 2);
    EXPECT_TRUE(lines.othersBring(0)) << "more have been brought than all use";
    lines.begin(2, kSubslices);
    for (std::uint32_t line = 0; line < kLines; ++line) {
        lines.missed(line, 0, SharedLines::Use::read, {}, 0);
        brought += !lines.othersBring(line);
        lines.found(line, 1, 0);
    }
    EXPECT_NEAR(brought, 2 * kLines / kSubslices, 1) << "two of all bring their part";
    lines.begin(kSubslices, kSubslices);
    EXPECT_FALSE(lines.areEstimated());
}

TEST(SharedLines, AllSubslicesBringNoMoreLinesThanAnAllocationHas) {
    constexpr std::uint32_t kSubslices = 64;
    constexpr std::uint32_t kLines = 4096;
    const SharedLines::Owner owner{.begin = 1 << 20, .lines = kLines};
    SharedLines lines;
    lines.begin(2, kSubslices);
    for (std::uint32_t line = 0; line < kLines / 2; ++line) lines.missed(line, 0, SharedLines::Use::read, owner, 0);
    for (std::uint32_t line = kLines / 2; line < kLines; ++line)
        lines.missed(line, 1, SharedLines::Use::written, owner, 0);
    EXPECT_EQ(lines.all().alone, kLines * kSubslices / 2);
    EXPECT_EQ(lines.all().estimated, kLines);
    EXPECT_EQ(lines.read().estimated, kLines / 2);
    EXPECT_TRUE(lines.othersBring(0)) << "the sample has written more than its part";
    lines.missed(kLines, 0, SharedLines::Use::read, {.begin = 2 << 20, .lines = kLines}, 0);
    EXPECT_EQ(lines.all().estimated, kLines + kSubslices / 2) << "another allocation";
    lines.weigh(3 * SharedLines::kWeight);
    lines.missed(kLines + 1, 0, SharedLines::Use::read, {.begin = 2 << 20, .lines = kLines}, 0);
    EXPECT_EQ(lines.all().estimated, kLines + kSubslices / 2 * 4) << "it stands for three batches";
    EXPECT_EQ(lines.all().alone, (kLines + 4) * kSubslices / 2);
}

/// Launches of a kernel that does nothing.
struct Repeated {
    KernelBench bench{"tiny", 1};
    const Kernel kernel = bench.build("kernel void none(uint n) {}", "none");
    LaunchKey key(std::uint32_t argument, std::uint32_t groups = 1) {
        return LaunchKey(bench.prepare(kernel, {16, 1, 1}, {groups, 1, 1}, {argument}));
    }
};

TEST(LaunchMemory, LooksAtFewerAndFewerLaunches) {
    Repeated repeated;
    const LaunchKey key = repeated.key(1);
    LaunchMemory memory({});
    std::vector<std::uint64_t> modelled;
    for (std::uint64_t launch = 1; launch <= 40; ++launch) {
        const auto known = memory.recall(key).known;
        if (known) {
            EXPECT_EQ(known->instructions, modelled.back()) << "what was modelled last";
            continue;
        }
        memory.learn(key, {.instructions = launch, .counts = {}, .stalls = {}});
        modelled.push_back(launch);
    }
    EXPECT_EQ(modelled, (std::vector<std::uint64_t>{1, 2, 4, 8, 16, 32}));
    memory.forget(key);
    EXPECT_FALSE(memory.recall(key).known) << "it is to be modelled again";
    EXPECT_FALSE(memory.recall(key).known) << "and was not yet";
}

TEST(LaunchMemory, KnowsKernelsByGridAndArguments) {
    Repeated repeated;
    Repeated other;
    LaunchMemory memory({});
    const std::vector<LaunchKey> keys{repeated.key(1), repeated.key(2), repeated.key(1, 2), other.key(1)};
    for (std::uint64_t i = 0; i < keys.size(); ++i) {
        for (int launch = 0; launch < 2; ++launch) EXPECT_FALSE(memory.recall(keys[i]).known) << i;
        memory.learn(keys[i], {.instructions = i, .counts = {}, .stalls = {}});
    }
    for (std::uint64_t i = 0; i < keys.size(); ++i) EXPECT_EQ(memory.recall(keys[i]).known->instructions, i);
    memory.clear();
    EXPECT_FALSE(memory.recall(keys[0]).known);
}

TEST(LaunchMemory, AsksForAllGroupsIfASampleIsTooInexact) {
    Repeated repeated;
    const LaunchKey key = repeated.key(1);
    const auto findingsOf = [](std::uint64_t error) {
        LaunchFindings findings{.instructions = 1, .counts = {}, .stalls = {}};
        findings.counts[Counter::workCycles] = 1000;
        findings.counts[Counter::workCyclesError] = error;
        return findings;
    };
    LaunchMemory memory(30);
    for (int launch = 1; launch <= 2; ++launch) {
        EXPECT_EQ(memory.recall(key).detail, ModelDetail::sampled);
        memory.learn(key, findingsOf(300));
    }
    EXPECT_TRUE(memory.recall(key).known) << "the third";
    EXPECT_EQ(memory.recall(key).detail, ModelDetail::sampled);
    memory.learn(key, findingsOf(301));
    for (int launch = 5; launch <= 6; ++launch) {
        const LaunchMemory::Advice advice = memory.recall(key);
        EXPECT_FALSE(advice.known) << launch << ": L3 had only what samples brought when the fifth began";
        EXPECT_EQ(advice.detail, ModelDetail::full) << launch;
        memory.learn(key, findingsOf(0));
    }
    EXPECT_TRUE(memory.recall(key).known);
    EXPECT_EQ(memory.recall(key).detail, ModelDetail::full) << "the eighth";
}

TEST(LaunchMemory, TakesNoSampleThatCannotBeExactEnough) {
    Repeated repeated;
    EXPECT_EQ(LaunchMemory(SampleError::kAlways).recall(repeated.key(1)).detail, ModelDetail::full);
    EXPECT_EQ(LaunchMemory(SampleError::kAlways + 1).recall(repeated.key(1)).detail, ModelDetail::sampled);
}

TEST(ModelSetting, IsADetailAndABound) {
    EXPECT_EQ(modelSettingFrom("full"), ModelSetting{.detail = ModelDetail::full});
    EXPECT_EQ(modelSettingFrom("sampled"), ModelSetting{.detail = ModelDetail::sampled});
    EXPECT_EQ(modelSettingFrom("sampled:2%"), (ModelSetting{.detail = ModelDetail::sampled, .percent = 2}));
    for (const char* text : {"", "half", "sampled:", "sampled:2", "sampled:%", "sampled:0%", "sampled:101%",
                             "sampled:-1%", "sampled:2%%", "sampled:99999999999%", "full:2%"})
        EXPECT_FALSE(modelSettingFrom(text)) << text;
}

/// A streaming loop with local memory and a barrier, launched twice.
class SampledModel : public testing::Test {
  protected:
    static constexpr std::uint32_t kGroups = 1500;
    static constexpr std::uint32_t kItems = 64;
    static constexpr int kLaunches = 6;

    struct Outcome {
        std::vector<Counts> counts;         ///< by launch
        std::vector<std::uint64_t> stalls;  ///< samples of cycles so far, after each launch
        std::vector<std::uint32_t> result;
        Snapshot total;
    };
    static std::uint64_t sumOf(const std::vector<InstructionStalls>& stalls) {
        std::uint64_t sum = 0;
        for (const InstructionStalls& at : stalls) sum = std::accumulate(at.cycles.begin(), at.cycles.end(), sum);
        return sum;
    }
    static Outcome launches(std::uint32_t workers, std::optional<ModelDetail> detail,
                            std::optional<ModelDetail> beside = {}) {
        KernelBench bench("small", workers);
        std::vector<std::shared_ptr<void>> collecting;
        for (const auto& one : {detail, beside})
            if (one) collecting.push_back(bench.tile().collect(*one));
        const Kernel kernel = bench.build(
            "kernel void turn(global const uint* in, global uint* out, local uint* mine) {"
            " size_t l = get_local_id(0), i = get_global_id(0); uint x = in[i];"
            " for (uint k = 0; k < 20; ++k) x = x * 1664525u + k; mine[l] = x; barrier(CLK_LOCAL_MEM_FENCE);"
            " out[i] = mine[(l + 1) % get_local_size(0)]; }",
            "turn");
        auto* const in = bench.buffer(kGroups * kItems);
        auto* const out = bench.buffer(kGroups * kItems);
        for (std::uint32_t i = 0; i < kGroups * kItems; ++i) in[i] = i;
        Outcome outcome;
        for (int launch = 0; launch < kLaunches; ++launch) {
            const auto dispatch = bench.run(kernel, {kItems, 1, 1}, {kGroups, 1, 1},
                                            {in, out, Argument::local(kItems * sizeof(std::uint32_t))});
            EXPECT_FALSE(dispatch->fault());
            outcome.counts.push_back(dispatch->counts());
            outcome.stalls.push_back(sumOf(bench.tile().stalls()));
        }
        outcome.total = bench.tile().counters();
        outcome.result.assign(out, out + std::size_t{kGroups} * kItems);
        return outcome;
    }
};

TEST_F(SampledModel, CountsOfExecutionStayExactAndResultsTheSame) {
    const Outcome plain = launches(2, {});
    const Outcome sampled = launches(2, ModelDetail::sampled);
    EXPECT_EQ(sampled.result, plain.result);
    for (std::size_t i = 0; i < static_cast<std::size_t>(Counter::workCycles); ++i)
        EXPECT_EQ(sampled.counts[0].values[i], plain.counts[0].values[i]) << counterDescriptions()[i].name;
    EXPECT_GT(sampled.counts[0][Counter::workCycles], 0u);
}

TEST_F(SampledModel, StandsForAllGroups) {
    using enum Counter;
    const Outcome full = launches(2, ModelDetail::full);
    const Outcome sampled = launches(2, ModelDetail::sampled);
    for (int launch = 0; launch < 2; ++launch) {
        const Counts& exact = full.counts[static_cast<std::size_t>(launch)];
        const Counts& estimate = sampled.counts[static_cast<std::size_t>(launch)];
        for (const Counter counter : {workCycles, activeCycles, busyCycles, occupiedCycles, tokenStalls, l1Reads,
                                      l1Writes, l3Reads, l3Writes}) {
            const auto value = static_cast<double>(exact[counter]);
            EXPECT_NEAR(static_cast<double>(estimate[counter]), value, 0.05 * value)
                << counterDescriptions()[static_cast<std::size_t>(counter)].name << " of launch " << launch;
        }
        std::uint64_t stalls = 0;
        for (auto at = static_cast<std::size_t>(controlStalls); at <= static_cast<std::size_t>(otherStalls); ++at)
            stalls += estimate.values[at];
        EXPECT_EQ(estimate[occupiedCycles], estimate[instructions] + stalls);
        EXPECT_EQ(estimate[l3Hits] + estimate[l3Misses], estimate[l3Reads] + estimate[l3Writes] + estimate[l3Atomics]);
    }
    EXPECT_NE(sampled.counts, full.counts) << "it did not look at all";
}

/// Sub-slices of the sample have groups that calculate for a short time, but move as much as the others.
TEST(SampleOfUnevenGroups, LinesGrowWithMessages) {
    constexpr std::uint32_t kGroups = 1000;
    constexpr std::uint32_t kItems = 64;
    const auto countsIn = [](ModelDetail detail) {
        KernelBench bench("small", 2);
        const std::uint32_t width = bench.device().profile().subslices();
        const SamplePlan plan = SamplePlan::sampled(kGroups, width, 1);
        std::uint32_t shortColumns = 0;
        for (std::uint32_t group = 0; group < width; ++group) shortColumns |= plan.contains(group) ? 1u << group : 0;
        const Kernel kernel = bench.build(
            "kernel void uneven(global uint* out, uint columns, uint width) {"
            " uint x = get_global_id(0), n = columns >> get_group_id(0) % width & 1 ? 2 : 200;"
            " for (uint k = 0; k < n; ++k) x = x * 1664525u + k; out[get_global_id(0)] = x; }",
            "uneven");
        const auto collecting = bench.tile().collect(detail);
        auto* const out = bench.buffer(kGroups * kItems);
        return bench.run(kernel, {kItems, 1, 1}, {kGroups, 1, 1}, {out, shortColumns, width})->counts();
    };
    const Counts full = countsIn(ModelDetail::full);
    const Counts sampled = countsIn(ModelDetail::sampled);
    for (const Counter counter : {Counter::l1Writes, Counter::l3Writes}) {
        const auto value = static_cast<double>(full[counter]);
        EXPECT_NEAR(static_cast<double>(sampled[counter]), value, 0.02 * value);
    }
}

TEST_F(SampledModel, StatesHowFarItMayBeOff) {
    using enum Counter;
    constexpr std::pair<Counter, Counter> kErrors[] = {
        {workCycles, workCyclesError}, {occupiedCycles, occupiedCyclesError}, {memoryBytesRead, memoryBytesError}};
    const Outcome full = launches(2, ModelDetail::full);
    const Outcome sampled = launches(2, ModelDetail::sampled);
    for (int launch = 0; launch < kLaunches; ++launch) {
        const Counts& exact = full.counts[static_cast<std::size_t>(launch)];
        const Counts& estimate = sampled.counts[static_cast<std::size_t>(launch)];
        for (const auto& [counter, error] : kErrors) {
            const auto value = static_cast<double>(exact[counter]);
            EXPECT_NEAR(static_cast<double>(estimate[counter]), value, static_cast<double>(estimate[error])) << launch;
            EXPECT_LE(static_cast<double>(estimate[error]), 0.2 * value) << "an error that says something";
            EXPECT_EQ(exact[error], 0u);
        }
    }
}

TEST(SampleError, GrowsWithWhatTheSampleShows) {
    Counts replayed;
    replayed[Counter::workCycles] = 100'000;
    replayed[Counter::l3Hits] = 1000;
    KnownLines::Count asked;
    std::uint64_t rows = 1000;
    const auto errorOf = [&](const std::vector<SampleError::Batch>& batches) {
        SampleError error;
        for (const SampleError::Batch& batch : batches) error.add(batch);
        Counts all = replayed;
        error.addTo({replayed, all, {}, asked, 2, rows});
        return all[Counter::workCyclesError];
    };
    const SampleError::Batch first{.groups = 64, .cycles = 900, .weight = {64, 64}, .spread = 0};
    const SampleError::Batch second{.groups = 64, .cycles = 1000, .weight = {192, 64}, .spread = 0};
    const SampleError::Batch third{.groups = 64, .cycles = 1000, .weight = {640, 64}, .spread = 0};
    const std::uint64_t least = errorOf({first, second, third});
    EXPECT_LT(least, 5'000u);
    SampleError::Batch apart = third;
    apart.spread = 100;
    EXPECT_GT(errorOf({first, second, apart}), least) << "its sub-slices differ";
    SampleError::Batch slow = third;
    slow.cycles = 1200;
    EXPECT_EQ(errorOf({first, second, slow}), least + 200 * (640 - 64) / 64 / 2) << "its batches differ";
    replayed[Counter::l3Misses] = 1000;
    EXPECT_GT(errorOf({first, second, third}), least) << "half of its lines come for the first time";
    replayed[Counter::l3Misses] = 0;
    replayed[Counter::occupiedCycles] = replayed[Counter::tokenStalls] = 1'000'000;
    asked = {.lines = 1000, .again = 0};
    EXPECT_EQ(errorOf({first, second, third}), least);
    rows = 10;
    EXPECT_GT(errorOf({first, second, third}), least) << "few groups on each sub-slice";
    rows = 1000;
    asked.again = 500;
    EXPECT_GE(errorOf({first, second, third}), least + 100'000 / 10) << "half of its lines left L1 and came back";
}

TEST(SampleError, OfBytesGrowsWithWhatOtherGroupsAskFor) {
    Counts replayed;
    replayed[Counter::memoryBytesRead] = 100'000;
    const auto errorOf = [&](std::uint64_t bytes) {
        Counts all = replayed;
        all[Counter::memoryBytesRead] = bytes;
        SampleError().addTo({replayed, all, {}, {}, 2, 1000});
        return all[Counter::memoryBytesError];
    };
    EXPECT_EQ(errorOf(100'000), 10'000u);
    EXPECT_EQ(errorOf(120'000), 12'000u + 20'000);
    EXPECT_EQ(errorOf(80'000), 8'000u + 20'000);
}

TEST(KnownLines, CountsLinesThatAreAskedForAgain) {
    KnownLines lines;
    for (const std::uint32_t line : {7u, 100'000u, 7u, 8u, 100'000u, 7u}) lines.ask(line);
    EXPECT_EQ(lines.count().lines, 6u);
    EXPECT_EQ(lines.count().again, 3u);
    lines.forget();
    lines.ask(7);
    EXPECT_EQ(lines.count().again, 3u) << "another line has this number now";
}

/// Cycles and their errors of two launches of a kernel over so many words, on a large device.
std::vector<Counts> launchesOver(std::uint32_t words, const char* source, ModelDetail detail) {
    KernelBench bench("max1550", 2);
    const auto collecting = bench.tile().collect(detail);
    const Kernel kernel = bench.build(source, "over");
    auto* const in = bench.buffer(words);
    auto* const out = bench.buffer(words);
    for (std::uint32_t i = 0; i < words; ++i) in[i] = i * 40503 & (words - 1);
    std::vector<Counts> counts;
    for (int launch = 0; launch < 2; ++launch)
        counts.push_back(bench.run(kernel, {256, 1, 1}, {words / 256, 1, 1}, {in, out})->counts());
    return counts;
}

void expectWithinError(std::uint32_t words, const char* source, double most) {
    const auto full = launchesOver(words, source, ModelDetail::full);
    const auto sampled = launchesOver(words, source, ModelDetail::sampled);
    for (std::size_t launch = 0; launch < full.size(); ++launch) {
        const auto exact = static_cast<double>(full[launch][Counter::workCycles]);
        const auto value = static_cast<double>(sampled[launch][Counter::workCycles]);
        EXPECT_NEAR(value, exact, static_cast<double>(sampled[launch][Counter::workCyclesError])) << launch;
        EXPECT_NEAR(value, exact, most * exact) << launch;
    }
}

TEST(SampleOfColdLines, OfAGatherCountsEachLineOnce) {
    expectWithinError(1 << 18,
                      "kernel void over(global const uint* in, global uint* out) { uint i = get_global_id(0);"
                      " uint n = get_global_size(0); out[in[i]] = in[in[(i + 12345) & (n - 1)]] + i; }",
                      0.15);
}

TEST(SampleOfColdLines, GroupsThatBeginTogetherLeaveNothingToEachOther) {
    constexpr std::uint32_t kAtOnce = 1 << 16;  // no group waits until another one ends
    expectWithinError(kAtOnce,
                      "kernel void over(global const uint* in, global uint* out) {"
                      " uint i = get_global_id(0); out[i] += in[i] * 3; }",
                      0.03);
}

TEST(SampleOfTwoBatches, LastsUntilTheNextGroupCouldBegin) {
    expectWithinError(1 << 20,
                      "kernel void over(global const uint* in, global uint* out) {"
                      " uint i = get_global_id(0); out[i] = in[i] + 3; }",
                      0.1);
}

/// When a sub-slice that asks for one line after the other at once has each.
std::vector<std::uint64_t> arrivalsOf(std::uint32_t lines, std::uint32_t subslices) {
    const DeviceProfile profile = loadProfile("max1550").devices[0];
    TileCache cache(profile, nullptr);
    MemorySystem memory(profile, cache);
    memory.begin(subslices, profile.subslices());
    const std::uint32_t distance = 0;
    std::vector<std::uint64_t> arrivals;
    for (std::uint32_t line = 0; line < lines; ++line) {
        TracedAccess access;
        access.runs = PackedRuns(&distance, 1, line, PackedRuns::Form::bytes);
        arrivals.push_back(memory.serve({}, 0, access, false));
    }
    return arrivals;
}

TEST(SampleOfColdLines, WaitsForSubslicesThatAreAheadWhereMemoryIsCrowded) {
    constexpr std::uint32_t kLines = 200;
    const auto farthest = [](const std::vector<std::uint64_t>& times) {
        std::uint64_t most = 0;
        for (std::size_t i = 1; i < times.size(); ++i) most = std::max(most, times[i] - times[i - 1]);
        return most;
    };
    const auto alone = arrivalsOf(kLines, loadProfile("max1550").devices[0].subslices());
    const auto sampled = arrivalsOf(kLines, 2);
    EXPECT_GT(sampled.back() - sampled.front(), alone.back() - alone.front())
        << "a sample has its part of the bandwidth";
    EXPECT_LT(farthest(alone), MemorySystem::kCrowdedWindow / 2);
    EXPECT_GE(farthest(sampled), MemorySystem::kCrowdedWindow / 2);
    EXPECT_LT(farthest(sampled), MemorySystem::kCrowdedWindow);
}

TEST(SampleOfColdLines, LinesThatOthersBringComeToAllAtTheSameTime) {
    const DeviceProfile profile = loadProfile("max1550").devices[0];
    TileCache cache(profile, nullptr);
    MemorySystem memory(profile, cache);
    memory.begin(2, profile.subslices());
    const std::uint32_t distance = 0;
    for (std::uint32_t line = 0; line < 100; ++line) {
        TracedAccess access;
        access.runs = PackedRuns(&distance, 1, line, PackedRuns::Form::bytes);
        const std::uint64_t time = line * 10'000;
        const std::uint64_t first = memory.serve({.subslice = 0}, time, access, false);
        EXPECT_EQ(memory.serve({.subslice = 1}, time, access, false), first) << line;
    }
    EXPECT_EQ(memory.sharedLines().read().estimated, 100u) << "all sub-slices use each";
}

TEST_F(SampledModel, ALaunchThatRepeatsTakesOverWhatIsKnown) {
    const Outcome plain = launches(2, {});
    const Outcome sampled = launches(2, ModelDetail::sampled);
    EXPECT_EQ(sampled.result, plain.result);
    EXPECT_EQ(sampled.counts[2], sampled.counts[1]) << "the second was modelled";
    EXPECT_EQ(sampled.counts[4], sampled.counts[3]) << "and so was the fourth";
    EXPECT_EQ(sampled.stalls[2] - sampled.stalls[1], sampled.stalls[1] - sampled.stalls[0]);
    Counts sum;
    for (const Counts& counts : sampled.counts) sum += counts;
    EXPECT_EQ(sampled.total.counts, sum);
    EXPECT_GE(sampled.total.coreClocks, sum[Counter::workCycles]);
}

TEST_F(SampledModel, IsRefinedIfItIsTooInexact) {
    const Outcome full = launches(2, ModelDetail::full);
    setenv("ZETL_TIMING_MODEL", "sampled:5%", 1);
    const Outcome refined = launches(2, ModelDetail::sampled);
    setenv("ZETL_TIMING_MODEL", "sampled:1%", 1);
    const Outcome exact = launches(2, ModelDetail::sampled);
    unsetenv("ZETL_TIMING_MODEL");
    EXPECT_EQ(refined.result, full.result);
    EXPECT_GT(refined.counts[0][Counter::workCyclesError], 0u);
    for (std::size_t launch = 1; launch < kLaunches; ++launch)
        EXPECT_EQ(refined.counts[launch][Counter::workCyclesError], 0u) << launch;
    // The second finds in L3 what the sample brought.
    for (std::size_t launch = 2; launch < kLaunches; ++launch)
        EXPECT_EQ(refined.counts[launch][Counter::workCycles], full.counts[launch][Counter::workCycles]) << launch;
    for (std::size_t launch = 0; launch < kLaunches; ++launch) {
        EXPECT_EQ(exact.counts[launch][Counter::workCyclesError], 0u) << launch;
        EXPECT_EQ(exact.counts[launch][Counter::workCycles], full.counts[launch][Counter::workCycles]) << launch;
    }
}

TEST_F(SampledModel, EveryRunCountsTheSameWithAnyWorkers) {
    const Outcome first = launches(1, ModelDetail::sampled);
    for (const std::uint32_t workers : {2u, 8u, 1u})
        EXPECT_EQ(launches(workers, ModelDetail::sampled).counts, first.counts) << workers;
}

TEST_F(SampledModel, ACollectorThatWantsAllGroupsGetsThem) {
    const Outcome full = launches(2, ModelDetail::full);
    EXPECT_EQ(launches(2, ModelDetail::sampled, ModelDetail::full).counts, full.counts);
}

/// Groups whose threads wait for each other take different numbers of turns on one worker, and some of them record.
/// Their turns end between two groups as well as within one. So other groups leave states of threads to the worker when
/// a group begins behind one that recorded.
class CompanyBesideASample : public testing::Test {
  protected:
    static constexpr std::uint32_t kGroups = 128;
    static constexpr std::uint32_t kItems = 256;
    static constexpr std::uint32_t kSpins = 128;
    static constexpr std::uint32_t kLocalBytes = 64 << 10;  // a sub-slice has room for two groups

    CompanyBesideASample() { std::iota(in_, in_ + kGroups * kItems, 1u); }

    void launch(std::uint32_t leastRounds) {
        const auto dispatch = bench_.run(kernel_, {kItems, 1, 1}, {kGroups, 1, 1},
                                         {in_, out_, Argument::local(kLocalBytes), leastRounds});
        ASSERT_FALSE(dispatch->fault()) << dispatch->fault().describe();
        for (std::uint32_t group = 0; group < kGroups; ++group)
            ASSERT_TRUE(std::ranges::equal(std::span(out_ + group * kItems, kItems), expected(group, leastRounds)))
                << group << " of those with " << leastRounds << " rounds or more";
    }

  private:
    std::vector<std::uint32_t> expected(std::uint32_t group, std::uint32_t leastRounds) const {
        std::vector<std::uint32_t> values(in_ + group * kItems, in_ + (group + 1) * kItems);
        for (std::uint32_t round = 0; round < leastRounds + group * 5 % 7 * 4; ++round) {
            std::rotate(values.begin(), values.begin() + 1, values.end());  // Clang 14 cannot read that of ranges
            for (std::uint32_t& value : values) value = spun(value);
        }
        for (std::uint32_t& value : values) value = spun(spun(value));
        return values;
    }
    static std::uint32_t spun(std::uint32_t x) {
        for (std::uint32_t k = 0; k < kSpins; ++k) x = (x ^ (x >> 13)) * 1664525u + k;
        return x;
    }

    KernelBench bench_{"small", 1};
    const std::shared_ptr<void> collecting_ = bench_.tile().collect(ModelDetail::sampled);
    std::uint32_t* const in_ = bench_.buffer(kGroups * kItems);
    std::uint32_t* const out_ = bench_.buffer(kGroups * kItems);
    // Local memory is zero at first, unless it is another group's.
    const Kernel kernel_ = bench_.build(
        "uint spun(uint x) { for (uint k = 0; k < 128; ++k) x = (x ^ (x >> 13)) * 1664525u + k; return x; }"
        "kernel void rounds(global const uint* in, global uint* out, local uint* values, uint least) {"
        "  uint l = get_local_id(0); values[l] += in[get_global_id(0)];"
        "  uint rounds = least + get_group_id(0) * 5 % 7 * 4;"
        "  for (uint round = 0; round < rounds; ++round) {"
        "    barrier(CLK_LOCAL_MEM_FENCE); uint x = spun(values[(l + 1) % get_local_size(0)]);"
        "    barrier(CLK_LOCAL_MEM_FENCE); values[l] = x; }"
        "  out[get_global_id(0)] = spun(spun(values[l])); }",
        "rounds");
};

TEST_F(CompanyBesideASample, TakesNoStatesOfOtherGroupsOver) {
    for (const std::uint32_t leastRounds : {10u, 9u}) ASSERT_NO_FATAL_FAILURE(launch(leastRounds));
}

}  // namespace
}  // namespace zetl::emulator::machine::bench
