// The timing model if it looks at a sample of the work-groups.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

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
    lines.begin(kSubslices);
    for (std::uint32_t line = 0; line < kLines; ++line) lines.missed(line, 0, SharedLines::Use::read);
    EXPECT_EQ(lines.read().estimated, kLines * kSubslices / 2);
    EXPECT_FALSE(lines.othersBring(0));
    for (std::uint32_t line = 0; line < kLines; ++line) {
        lines.found(line, 0);  // it brought the line itself
        lines.found(line, 1);
        lines.found(line, 1);
    }
    EXPECT_EQ(lines.read().estimated, kLines);
    EXPECT_EQ(lines.read().alone, kLines * kSubslices / 2);
    std::uint32_t brought = 0;
    for (std::uint32_t i = 0; i < kSubslices; ++i) brought += lines.othersBring(0);
    EXPECT_EQ(brought, kSubslices - 1) << "each of them brings one line in as many";
    lines.begin(0);
    EXPECT_FALSE(lines.areEstimated());
}

TEST(ModelDetail, HasNames) {
    EXPECT_EQ(modelDetailNamed("full"), ModelDetail::full);
    EXPECT_EQ(modelDetailNamed("sampled"), ModelDetail::sampled);
    EXPECT_FALSE(modelDetailNamed("half"));
}

/// A streaming loop with local memory and a barrier, launched twice.
class SampledModel : public testing::Test {
  protected:
    static constexpr std::uint32_t kGroups = 1500;
    static constexpr std::uint32_t kItems = 64;

    struct Outcome {
        std::vector<Counts> counts;  ///< by launch
        std::vector<std::uint32_t> result;
    };
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
        for (int launch = 0; launch < 2; ++launch) {
            const auto dispatch = bench.run(kernel, {kItems, 1, 1}, {kGroups, 1, 1},
                                            {in, out, Argument::local(kItems * sizeof(std::uint32_t))});
            EXPECT_FALSE(dispatch->fault());
            outcome.counts.push_back(dispatch->counts());
        }
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
    EXPECT_NE(sampled.counts[1], full.counts[1]) << "it did not look at all";
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

}  // namespace
}  // namespace zetl::emulator::machine::bench
