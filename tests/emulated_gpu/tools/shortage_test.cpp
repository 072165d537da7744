// Metrics in hosts that get no memory for a while: each allocation fails once, the calls say so or work without, and
// what they leave behind is nothing.
#include <cstdio>
#include <vector>

#include "emulated_gpu/counted_work.h"
#include "emulated_gpu/gpu.h"
#include "emulated_gpu/measured_gpu.h"
#include "emulated_gpu/misfortune.h"
#include "emulated_gpu/queries.h"
#include "support/scenario.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::test {
namespace {

constexpr std::initializer_list<ze_result_t> kAnswers = {ZE_RESULT_SUCCESS, ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY};

/// The first of several results that is none of success.
class First {
  public:
    First& operator<<(ze_result_t result) {
        if (result_ == ZE_RESULT_SUCCESS) result_ = result;
        return *this;
    }
    bool good() const { return result_ == ZE_RESULT_SUCCESS; }
    operator ze_result_t() const { return result_; }

  private:
    ze_result_t result_ = ZE_RESULT_SUCCESS;
};

ze_result_t activated(const Gpu& gpu, zet_metric_group_handle_t group) {
    return zetContextActivateMetricGroups(gpu.context(), gpu.device(), 1, &group);
}

/// Names of groups, columns and programmables, which are found by their handles.
void printAll(const Gpu& gpu) {
    for (auto* const group : listOf(zetMetricGroupGet, gpu.device())) {
        zet_metric_group_properties_t properties{};
        EXPECT_OK(zetMetricGroupGetProperties(group, &properties));
        std::printf("%s %u", properties.name, properties.samplingType);
        for (const auto& column : columnsOf(group)) std::printf(" %s", column.c_str());
        std::printf("\n");
    }
    for (auto* const each : listOf(DRIVER_CALL(gpu, zetMetricProgrammableGetExp), gpu.device())) {
        zet_metric_programmable_exp_properties_t properties{};
        EXPECT_OK(DRIVER_CALL(gpu, zetMetricProgrammableGetPropertiesExp)(each, &properties));
        std::printf("%s\n", properties.name);
    }
}

SCENARIO(printsMetrics) { printAll(Gpu()); }

SCENARIO(printsMetricsWithoutMemory) {
    const Gpu gpu;
    withoutEachAllocation(
        [&] {
            std::uint32_t count = 0;
            return zetMetricGroupGet(gpu.device(), &count, nullptr);
        },
        kAnswers);
    printAll(gpu);
}

TEST(Host, AllMetricsAreThereAfterAShortageOfMemory) {
    const auto quiet = [](const char* scenario) { return measured(scenario).with("ZETL_LOG", "all=off"); };
    const auto all = quiet("printsMetrics").run();
    const auto after = quiet("printsMetricsWithoutMemory").run(std::chrono::seconds(120));
    ASSERT_TRUE(all.good()) << all;
    ASSERT_TRUE(after.good()) << after;
    EXPECT_GT(all.output.size(), 1000u);
    EXPECT_EQ(after.output, all.output);
}

SCENARIO(queriesWithoutMemory) {
    const Gpu gpu;
    const CountedWork work(gpu);
    auto* const group = test::group(gpu, "ComputeBasic", kEventBased);
    const zet_metric_query_pool_desc_t description{ZET_STRUCTURE_TYPE_METRIC_QUERY_POOL_DESC, nullptr,
                                                   ZET_METRIC_QUERY_POOL_TYPE_PERFORMANCE, 4};
    const auto list = gpu.list();
    withoutEachAllocation(
        [&] {
            zet_metric_query_pool_handle_t pool = nullptr;
            zet_metric_query_handle_t query = nullptr;
            First result;
            result << activated(gpu, group);
            result << zetMetricQueryPoolCreate(gpu.context(), gpu.device(), group, &description, &pool);
            if (pool) result << zetMetricQueryCreate(pool, 0, &query);
            if (query) result << zetCommandListAppendMetricQueryBegin(list, query);
            if (result.good()) result << zetCommandListAppendMetricQueryEnd(list, query, nullptr, 0, nullptr);
            zeCommandListReset(list);
            if (query) {
                EXPECT_OK(zetMetricQueryDestroy(query));
            }
            if (pool) {
                EXPECT_OK(zetMetricQueryPoolDestroy(pool));
            }
            return static_cast<ze_result_t>(result);
        },
        kAnswers);
    EXPECT_OK(zetContextActivateMetricGroups(gpu.context(), gpu.device(), 0, nullptr));
}
TEST(Host, MetricQueriesWithoutMemory) { EXPECT_RUNS(measured("queriesWithoutMemory")); }

SCENARIO(streamersWithoutMemory) {
    const Gpu gpu;
    const auto event = Gpu::event(gpu.pool(1));
    std::vector<std::uint8_t> raw(1 << 20);
    for (const char* const name : {"ComputeBasic", "EuStallSampling"}) {
        auto* const group = test::group(gpu, name, kTimeBased);
        withoutEachAllocation(
            [&] {
                zet_metric_streamer_desc_t description{ZET_STRUCTURE_TYPE_METRIC_STREAMER_DESC, nullptr, 1, 1'000'000};
                zet_metric_streamer_handle_t streamer = nullptr;
                First result;
                result << activated(gpu, group);
                result << zetMetricStreamerOpen(gpu.context(), gpu.device(), group, &description, event, &streamer);
                std::size_t size = raw.size();
                if (streamer) result << zetMetricStreamerReadData(streamer, UINT32_MAX, &size, raw.data());
                if (streamer) {
                    EXPECT_OK(zetMetricStreamerClose(streamer));
                }
                return static_cast<ze_result_t>(result);
            },
            kAnswers);
    }
}
TEST(Host, MetricStreamersWithoutMemory) {
    const auto outcome = measured("streamersWithoutMemory").run(std::chrono::seconds(120));
    EXPECT_TRUE(outcome.good()) << outcome;
}

SCENARIO(groupsOfOnesOwnWithoutMemory) {
    const Gpu gpu;
    auto* const programmable = listOf(DRIVER_CALL(gpu, zetMetricProgrammableGetExp), gpu.device()).at(0);
    zet_metric_programmable_param_value_exp_t value{};
    const auto make = DRIVER_CALL(gpu, zetMetricCreateFromProgrammableExp2);
    const auto create = DRIVER_CALL(gpu, zetMetricGroupCreateExp);
    const auto add = DRIVER_CALL(gpu, zetMetricGroupAddMetricExp);
    const auto close = DRIVER_CALL(gpu, zetMetricGroupCloseExp);
    const auto from = DRIVER_CALL(gpu, zetDeviceCreateMetricGroupsFromMetricsExp);
    const auto destroyGroup = DRIVER_CALL(gpu, zetMetricGroupDestroyExp);
    const auto destroyMetric = DRIVER_CALL(gpu, zetMetricDestroyExp);
    withoutEachAllocation(
        [&] {
            zet_metric_handle_t metric = nullptr;
            zet_metric_group_handle_t groups[3] = {};
            std::uint32_t one = 1;
            std::uint32_t two = 2;
            First result;
            result << make(programmable, 0, &value, "Mine", "of a test", &one, &metric);
            result << create(gpu.device(), "Mine", "of a test", kEventBased, &groups[2]);
            if (result.good()) result << add(groups[2], metric, nullptr, nullptr) << close(groups[2]);
            if (metric) result << from(gpu.device(), 1, &metric, "Mine", "of a test", &two, groups);
            for (auto* const group : groups)
                if (group) {
                    EXPECT_OK(destroyGroup(group));
                }
            if (metric) {
                EXPECT_OK(destroyMetric(metric)) << "no group has it any more";
            }
            return static_cast<ze_result_t>(result);
        },
        kAnswers);
}
TEST(Host, MetricGroupsOfOnesOwnWithoutMemory) { EXPECT_RUNS(measured("groupsOfOnesOwnWithoutMemory")); }

SCENARIO(calculationWithoutMemory) {
    const Gpu gpu;
    const Queries queries(gpu, "ComputeBasic");
    auto* const query = queries[0];
    Queries::around(gpu, query, [&](ze_command_list_handle_t list) { CountedWork(gpu).append(list); });
    const auto raw = Queries::raw(query);
    const auto exporting = DRIVER_CALL(gpu, zetMetricGroupGetExportDataExp);
    const auto calculate = DRIVER_CALL(gpu, zetMetricGroupCalculateMetricExportDataExp);
    std::vector<zet_typed_value_t> values(1000);
    std::vector<std::uint8_t> data(1 << 16);
    zet_metric_calculate_exp_desc_t description{ZET_STRUCTURE_TYPE_METRIC_CALCULATE_EXP_DESC, nullptr, 0};
    withoutEachAllocation(
        [&] {
            auto count = static_cast<std::uint32_t>(values.size());
            First result;
            result << zetMetricGroupCalculateMetricValues(queries.group(), kMetricValues, raw.size(), raw.data(),
                                                          &count, values.data());
            std::size_t size = data.size();
            result << exporting(queries.group(), raw.data(), raw.size(), &size, data.data());
            if (!result.good()) return static_cast<ze_result_t>(result);
            std::uint32_t sets = 1;
            std::uint32_t valuesOfSet = 0;
            count = static_cast<std::uint32_t>(values.size());
            result << calculate(gpu.driver(), kMetricValues, size, data.data(), &description, &sets, &count,
                                &valuesOfSet, values.data());
            return static_cast<ze_result_t>(result);
        },
        kAnswers);
}
TEST(Host, MetricCalculationWithoutMemory) { EXPECT_RUNS(measured("calculationWithoutMemory")); }

SCENARIO(tracersWithoutMemory) {
    const Gpu gpu;
    CountedWork work(gpu);
    auto* group = test::group(gpu, "CommandTrace", kTracerBased);
    std::vector<std::uint8_t> raw(1 << 16);
    ASSERT_OK(activated(gpu, group));
    const auto create = DRIVER_CALL(gpu, zetMetricTracerCreateExp);
    const auto destroy = DRIVER_CALL(gpu, zetMetricTracerDestroyExp);
    const auto enable = DRIVER_CALL(gpu, zetMetricTracerEnableExp);
    const auto disable = DRIVER_CALL(gpu, zetMetricTracerDisableExp);
    const auto read = DRIVER_CALL(gpu, zetMetricTracerReadDataExp);
    const auto decoderOf = DRIVER_CALL(gpu, zetMetricDecoderCreateExp);
    const auto destroyDecoder = DRIVER_CALL(gpu, zetMetricDecoderDestroyExp);
    withoutEachAllocation(
        [&] {
            zet_metric_tracer_exp_desc_t description{ZET_STRUCTURE_TYPE_METRIC_TRACER_EXP_DESC, nullptr, 0};
            zet_metric_tracer_exp_handle_t tracer = nullptr;
            zet_metric_decoder_exp_handle_t decoder = nullptr;
            First result;
            result << create(gpu.context(), gpu.device(), 1, &group, &description, nullptr, &tracer);
            if (!tracer) return static_cast<ze_result_t>(result);
            result << decoderOf(tracer, &decoder) << enable(tracer, true);
            std::size_t size = raw.size();
            if (result.good()) result << read(tracer, &size, raw.data());
            result << disable(tracer, true);
            EXPECT_OK(disable(tracer, true)) << "at the second attempt";
            if (decoder) {
                EXPECT_OK(destroyDecoder(decoder));
            }
            EXPECT_OK(destroy(tracer));
            return static_cast<ze_result_t>(result);
        },
        kAnswers);
    work.launch(1);
}
TEST(Host, MetricTracersWithoutMemory) {
    EXPECT_RUNS(measured("tracersWithoutMemory").with("ZETL_METRIC_TRACERS", "1"));
}

}  // namespace
}  // namespace zetl::test
