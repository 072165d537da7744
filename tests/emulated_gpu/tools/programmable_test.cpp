// Metrics from programmables and groups of one's own, in both generations of the API: through the stock loader, without
// any layer.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <set>

#include "emulated_gpu/counted_work.h"
#include "emulated_gpu/gpu.h"
#include "emulated_gpu/measured_gpu.h"
#include "emulated_gpu/queries.h"
#include "emulated_gpu/stream.h"
#include "support/scenario.h"
#include "ze_tools_layer/level_zero.h"
#include "ze_tools_layer/metric_error.h"

namespace zetl::test {
namespace {

using namespace std::chrono_literals;
using Programmable = zet_metric_programmable_exp_handle_t;
using Values = std::vector<zet_metric_programmable_param_value_exp_t>;

constexpr std::uint32_t kParameters = 4;  // utilization, average, rate, bytes

std::vector<Programmable> programmables(const Gpu& gpu) {
    return listOf(DRIVER_CALL(gpu, zetMetricProgrammableGetExp), gpu.device());
}
zet_metric_programmable_exp_properties_t propertiesOf(const Gpu& gpu, Programmable programmable) {
    zet_metric_programmable_exp_properties_t properties{};
    EXPECT_OK(DRIVER_CALL(gpu, zetMetricProgrammableGetPropertiesExp)(programmable, &properties));
    return properties;
}
Programmable programmable(const Gpu& gpu, const std::string& name) {
    for (auto* const each : programmables(gpu))
        if (propertiesOf(gpu, each).name == name) return each;
    ADD_FAILURE() << "no programmable " << name;
    return nullptr;
}
Values valuesOf(const std::vector<std::uint64_t>& numbers) {
    Values values;
    values.reserve(kParameters);  // the array must be there, even for no values
    values.resize(numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) values[i].value.ui64 = numbers[i];
    return values;
}

enum class Generation : std::uint8_t { first, second };

zet_metric_handle_t metricOf(const Gpu& gpu, Generation generation, const char* counter,
                             const std::vector<std::uint64_t>& numbers, const char* name) {
    auto values = valuesOf(numbers);
    auto* const from = programmable(gpu, counter);
    const auto size = static_cast<std::uint32_t>(values.size());
    const auto make = [&](std::uint32_t* count, zet_metric_handle_t* metric) {
        return generation == Generation::first ? DRIVER_CALL(gpu, zetMetricCreateFromProgrammableExp)(
                                                     from, values.data(), size, name, "of a test", count, metric)
                                               : DRIVER_CALL(gpu, zetMetricCreateFromProgrammableExp2)(
                                                     from, size, values.data(), name, "of a test", count, metric);
    };
    std::uint32_t count = 0;
    EXPECT_OK(make(&count, nullptr));
    EXPECT_EQ(count, 1u);
    zet_metric_handle_t metric = nullptr;
    EXPECT_OK(make(&count, &metric));
    return metric;
}

/// A metric shown as it is counted has the error of its counter; a share of it has another one, which nobody states.
SCENARIO(metricsOfProgrammablesNameTheirErrors) {
    const Gpu gpu;
    const auto errorOf = [&](const char* counter, const std::vector<std::uint64_t>& numbers) {
        zetl_metric_error_properties_t error{ZETL_STRUCTURE_TYPE_METRIC_ERROR_PROPERTIES, nullptr, false, ""};
        zet_metric_properties_t properties{};
        properties.pNext = &error;
        auto* const metric = metricOf(gpu, Generation::second, counter, numbers, "mine");
        EXPECT_OK(zetMetricGetProperties(metric, &properties));
        EXPECT_OK(DRIVER_CALL(gpu, zetMetricDestroyExp)(metric));
        return std::pair(error.isModelled != 0, std::string(error.errorMetric));
    };
    EXPECT_EQ(errorOf("GPU_MEMORY_BYTE_READ", {}), std::pair(true, std::string("GPU_MEMORY_BYTE_READ_ERROR")));
    EXPECT_EQ(errorOf("GPU_MEMORY_BYTE_READ", {0, 1}), std::pair(true, std::string()));
    EXPECT_EQ(errorOf("GLOBAL_BYTE_WRITE", {}), std::pair(false, std::string()));
    EXPECT_EQ(errorOf("GLOBAL_BYTE_WRITE", {1}), std::pair(true, std::string())) << "a share of modelled cycles";
    programmable(gpu, "GPU_MEMORY_BYTE_READ_ERROR");
}
TEST(Programmables, MetricsNameTheirErrors) { EXPECT_RUNS(measured("metricsOfProgrammablesNameTheirErrors")); }

SCENARIO(everyProgrammableSaysWhatItTakes) {
    const Gpu gpu;
    std::set<std::string> names;
    for (auto* const each : programmables(gpu)) {
        const auto properties = propertiesOf(gpu, each);
        EXPECT_TRUE(names.insert(properties.name).second) << properties.name << " is there twice";
        EXPECT_STRNE(properties.description, "");
        EXPECT_STRNE(properties.component, "");
        ASSERT_EQ(properties.parameterCount, kParameters);
        std::uint32_t count = properties.parameterCount;
        std::vector<zet_metric_programmable_param_info_exp_t> infos(count);
        ASSERT_OK(DRIVER_CALL(gpu, zetMetricProgrammableGetParamInfoExp)(each, &count, infos.data()));
        for (std::uint32_t ordinal = 0; ordinal < count; ++ordinal) {
            auto kinds = infos[ordinal].valueInfoCount;
            std::vector<zet_metric_programmable_param_value_info_exp_t> kindsOfValue(kinds);
            ASSERT_OK(DRIVER_CALL(gpu, zetMetricProgrammableGetParamValueInfoExp)(each, ordinal, &kinds,
                                                                                  kindsOfValue.data()));
            EXPECT_EQ(kinds, infos[ordinal].valueInfoCount);
            EXPECT_STRNE(kindsOfValue[0].description, "");
        }
        auto* const metric = metricOf(gpu, Generation::second, properties.name, {}, "Mine");
        EXPECT_OK(DRIVER_CALL(gpu, zetMetricDestroyExp)(metric));
    }
    EXPECT_GT(names.size(), 40u);
}
TEST(Programmables, EverySaysWhatItTakes) { EXPECT_RUNS(measured("everyProgrammableSaysWhatItTakes")); }

/// The same counters in every normalisation.
struct Mine {
    Mine(const Gpu& gpu, Generation generation)
        : gpu(gpu),
          metrics{metricOf(gpu, generation, "GLOBAL_BYTE_WRITE", {}, "Written"),
                  metricOf(gpu, generation, "XVE_COMPUTE_THREAD_COUNT", {}, "Threads"),
                  metricOf(gpu, generation, "XVE_COMPUTE_THREAD_COUNT", {0, 0, 0, 64}, "ThreadsTimes64"),
                  metricOf(gpu, generation, "XVE_COMPUTE_THREAD_COUNT", {0, 1}, "ThreadsOfAnEngine"),
                  metricOf(gpu, generation, "GLOBAL_BYTE_WRITE", {0, 0, 1}, "Rate"),
                  metricOf(gpu, generation, "XVE_ACTIVE_CYCLES", {1}, "Active")} {}

    void expectCounted(const Row& row) const {
        EXPECT_EQ(row.at("Written").value.ui64, CountedWork::kBytesWritten);
        const auto threads = row.at("Threads").value.ui64;
        EXPECT_GT(threads, 0u);
        EXPECT_EQ(row.at("ThreadsTimes64").value.ui64, 64 * threads);
        EXPECT_FLOAT_EQ(row.at("ThreadsOfAnEngine").value.fp32, static_cast<float>(threads) / engines());
        const auto time = static_cast<float>(row.at("GpuTime").value.ui64);
        EXPECT_FLOAT_EQ(row.at("Rate").value.fp32, static_cast<float>(CountedWork::kBytesWritten) / time);
        EXPECT_GT(row.at("Active").value.fp32, 0.0f);
        EXPECT_LE(row.at("Active").value.fp32, 100.0f);
    }
    float engines() const {
        ze_device_properties_t properties{};
        properties.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
        EXPECT_OK(zeDeviceGetProperties(gpu.device(), &properties));
        return static_cast<float>(properties.numSlices * properties.numSubslicesPerSlice *
                                  properties.numEUsPerSubslice);
    }
    void destroy() const {
        for (auto* const metric : metrics) EXPECT_OK(DRIVER_CALL(gpu, zetMetricDestroyExp)(metric));
        EXPECT_EQ(DRIVER_CALL(gpu, zetMetricDestroyExp)(metrics[0]), ZE_RESULT_ERROR_INVALID_ARGUMENT) << "stale";
    }

    const Gpu& gpu;
    std::vector<zet_metric_handle_t> metrics;
};

zet_metric_group_handle_t openGroup(const Gpu& gpu, zet_metric_group_sampling_type_flag_t sampling) {
    zet_metric_group_handle_t group = nullptr;
    EXPECT_OK(DRIVER_CALL(gpu, zetMetricGroupCreateExp)(gpu.device(), "Mine", "of a test", sampling, &group));
    return group;
}

/// The row of a query around one launch.
Row queried(const Gpu& gpu, zet_metric_group_handle_t group) {
    const Queries queries(gpu, group, gpu.device());
    auto* const query = queries[0];
    Queries::around(gpu, query, [&](ze_command_list_handle_t list) { CountedWork(gpu).append(list); });
    const auto row = queries.row(query);
    EXPECT_OK(zetMetricQueryPoolDestroy(queries.pool()));
    EXPECT_OK(zetContextActivateMetricGroups(gpu.context(), gpu.device(), 0, nullptr));
    return row;
}

SCENARIO(groupsOfTheFirstGenerationCount) {
    const Gpu gpu;
    const Mine mine(gpu, Generation::first);
    const auto group = openGroup(gpu, kEventBased);
    const auto add = DRIVER_CALL(gpu, zetMetricGroupAddMetricExp);
    const auto close = DRIVER_CALL(gpu, zetMetricGroupCloseExp);
    EXPECT_EQ(close(group), ZE_RESULT_NOT_READY) << "it is empty";
    for (auto* const metric : mine.metrics) ASSERT_OK(add(group, metric, nullptr, nullptr));
    EXPECT_OK(add(group, mine.metrics[0], nullptr, nullptr)) << "it is in it";
    auto* closed = group;
    EXPECT_NE(zetContextActivateMetricGroups(gpu.context(), gpu.device(), 1, &closed), ZE_RESULT_SUCCESS) << "open";
    ASSERT_OK(close(group));
    mine.expectCounted(queried(gpu, group));

    // One less, and closed again.
    ASSERT_OK(DRIVER_CALL(gpu, zetMetricGroupRemoveMetricExp)(group, mine.metrics[4]));
    EXPECT_EQ(DRIVER_CALL(gpu, zetMetricGroupRemoveMetricExp)(group, mine.metrics[4]),
              ZE_RESULT_ERROR_INVALID_ARGUMENT);
    ASSERT_OK(close(group));
    const auto row = queried(gpu, group);
    EXPECT_FALSE(row.contains("Rate"));
    EXPECT_EQ(row.at("Written").value.ui64, CountedWork::kBytesWritten);
    EXPECT_EQ(DRIVER_CALL(gpu, zetMetricDestroyExp)(mine.metrics[0]), ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    ASSERT_OK(DRIVER_CALL(gpu, zetMetricGroupDestroyExp)(group));
    EXPECT_EQ(close(group), ZE_RESULT_ERROR_INVALID_ARGUMENT) << "stale";
    mine.destroy();
}
TEST(Programmables, GroupsOfTheFirstGenerationCount) { EXPECT_RUNS(measured("groupsOfTheFirstGenerationCount")); }

/// As many groups as sampling types, closed from the first.
std::vector<zet_metric_group_handle_t> groupsFrom(const Gpu& gpu, const Mine& mine) {
    auto metrics = mine.metrics;
    const auto make = DRIVER_CALL(gpu, zetDeviceCreateMetricGroupsFromMetricsExp);
    const auto size = static_cast<std::uint32_t>(metrics.size());
    std::uint32_t count = 0;
    EXPECT_OK(make(gpu.device(), size, metrics.data(), "Mine", "of a test", &count, nullptr));
    std::vector<zet_metric_group_handle_t> groups(count);
    std::uint32_t fewer = count - 1;
    EXPECT_EQ(make(gpu.device(), size, metrics.data(), "Mine", "of a test", &fewer, groups.data()),
              ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_OK(make(gpu.device(), size, metrics.data(), "Mine", "of a test", &count, groups.data()));
    return groups;
}

SCENARIO(groupsOfTheSecondGenerationCount) {
    const Gpu gpu;
    const Mine mine(gpu, Generation::second);
    const auto groups = groupsFrom(gpu, mine);
    ASSERT_EQ(groups.size(), 2u);
    mine.expectCounted(queried(gpu, groups[1]));
    activate(gpu, groups[0]);
    {
        Stream stream(gpu, groups[0]);
        stream.pass(1);
        CountedWork(gpu).launch(5);
        EXPECT_EQ(stream.settled("Written"), 5 * CountedWork::kBytesWritten);
    }
    ASSERT_OK(zetContextActivateMetricGroups(gpu.context(), gpu.device(), 0, nullptr));
    const auto listed = listOf(zetMetricGroupGet, gpu.device());
    for (auto* const group : groups) {
        EXPECT_EQ(std::ranges::find(listed, group), listed.end()) << "its maker alone knows it";
        EXPECT_OK(DRIVER_CALL(gpu, zetMetricGroupDestroyExp)(group));
    }
    mine.destroy();
}
TEST(Programmables, GroupsOfTheSecondGenerationCount) { EXPECT_RUNS(measured("groupsOfTheSecondGenerationCount")); }

SCENARIO(activeGroupsOfOnesOwnStayAsTheyAre) {
    const Gpu gpu;
    const Mine mine(gpu, Generation::second);
    const auto groups = groupsFrom(gpu, mine);
    const auto add = DRIVER_CALL(gpu, zetMetricGroupAddMetricExp);
    activate(gpu, groups[0]);
    const auto another = metricOf(gpu, Generation::second, "FENCE_MESSAGE_COUNT", {}, "Fences");
    constexpr auto kInUse = ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE;
    EXPECT_EQ(add(groups[0], another, nullptr, nullptr), kInUse);
    EXPECT_EQ(DRIVER_CALL(gpu, zetMetricGroupRemoveMetricExp)(groups[0], mine.metrics[0]), kInUse);
    EXPECT_EQ(DRIVER_CALL(gpu, zetMetricGroupCloseExp)(groups[0]), kInUse);
    EXPECT_EQ(DRIVER_CALL(gpu, zetMetricGroupDestroyExp)(groups[0]), kInUse);
    zet_metric_group_handle_t both[] = {groups[0], test::group(gpu, "ComputeBasic", kTimeBased)};
    EXPECT_EQ(zetContextActivateMetricGroups(gpu.context(), gpu.device(), 2, both), ZE_RESULT_ERROR_INVALID_ARGUMENT)
        << "it excludes those of domain 0";
    Stream stream(gpu, groups[0]);
    ASSERT_OK(zetContextActivateMetricGroups(gpu.context(), gpu.device(), 0, nullptr));
    EXPECT_OK(add(groups[0], another, nullptr, nullptr)) << "it is active no more";
    EXPECT_OK(DRIVER_CALL(gpu, zetMetricGroupDestroyExp)(groups[0]));
    stream.pass(1);  // the streamer keeps what it measures

    // What is ready-made is nobody's to change, and says why not.
    std::string why(100, 'x');
    std::size_t size = why.size();
    EXPECT_EQ(add(both[1], another, &size, why.data()), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    size = why.size();
    EXPECT_EQ(add(groups[1], listOf(zetMetricGet, both[1]).at(0), &size, why.data()), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(std::strlen(why.c_str()) + 1, size);
    EXPECT_EQ(DRIVER_CALL(gpu, zetMetricGroupDestroyExp)(both[1]), ZE_RESULT_ERROR_INVALID_ARGUMENT);
}
TEST(Programmables, ActiveGroupsOfOnesOwnStayAsTheyAre) { EXPECT_RUNS(measured("activeGroupsOfOnesOwnStayAsTheyAre")); }

/// Null pointers, handles that lead nowhere, values that are none.
SCENARIO(badInputToProgrammablesIsRefused) {
    const Gpu gpu;
    int nothing = 0;
    const auto make = DRIVER_CALL(gpu, zetMetricCreateFromProgrammableExp2);
    const auto fromMetrics = DRIVER_CALL(gpu, zetDeviceCreateMetricGroupsFromMetricsExp);
    auto* const counter = programmable(gpu, "GLOBAL_BYTE_WRITE");
    auto metric = metricOf(gpu, Generation::second, "GLOBAL_BYTE_WRITE", {}, "Mine");
    zet_metric_handle_t made = nullptr;
    zet_metric_group_handle_t groups[2] = {};
    std::uint32_t count = 2;
    constexpr auto kNull = ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    constexpr auto kBad = ZE_RESULT_ERROR_INVALID_ARGUMENT;
    EXPECT_EQ(fromMetrics(gpu.device(), 1, nullptr, "M", "", &count, groups), kNull);
    EXPECT_EQ(fromMetrics(gpu.device(), 1, &metric, nullptr, "", &count, groups), kNull);
    EXPECT_EQ(fromMetrics(gpu.device(), 1, &metric, "M", nullptr, &count, groups), kNull);
    EXPECT_EQ(fromMetrics(gpu.device(), 1, &metric, "M", "", nullptr, groups), kNull);
    auto* const stale = reinterpret_cast<zet_metric_handle_t>(&nothing);
    zet_metric_handle_t some[] = {metric, stale};
    EXPECT_EQ(fromMetrics(gpu.device(), 2, some, "M", "", &count, groups), kBad);
    EXPECT_EQ(fromMetrics(gpu.device(), 0, some, "M", "", &count, groups), kBad);
    EXPECT_EQ(groups[0], nullptr);
    std::uint32_t one = 1;
    auto values = valuesOf({1, 1, 1, 1, 1});
    EXPECT_EQ(make(counter, 1, nullptr, "M", "", &one, &made), kNull);
    EXPECT_EQ(make(counter, 0, values.data(), nullptr, "", &one, &made), kNull);
    EXPECT_EQ(make(counter, 0, values.data(), "M", nullptr, &one, &made), kNull);
    EXPECT_EQ(make(counter, 2, values.data(), "M", "", &one, &made), kBad) << "two ways at once";
    EXPECT_EQ(make(counter, 5, values.data(), "M", "", &one, &made), kBad) << "more values than parameters";
    EXPECT_EQ(make(reinterpret_cast<Programmable>(&nothing), 0, values.data(), "M", "", &one, &made), kBad);
    EXPECT_EQ(made, nullptr);
    zet_metric_group_handle_t group = nullptr;
    const auto create = DRIVER_CALL(gpu, zetMetricGroupCreateExp);
    EXPECT_EQ(create(gpu.device(), nullptr, "", kEventBased, &group), kNull);
    EXPECT_EQ(create(gpu.device(), "M", nullptr, kEventBased, &group), kNull);
    EXPECT_EQ(create(gpu.device(), "M", "", 3, &group), kBad) << "both samplings";
    EXPECT_EQ(create(gpu.device(), "M", "", 8, &group), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    const std::string endless(100'000, 'n');
    ASSERT_OK(create(gpu.device(), endless.c_str(), endless.c_str(), kEventBased, &group));
    zet_metric_group_properties_t properties{};
    ASSERT_OK(zetMetricGroupGetProperties(group, &properties));
    EXPECT_EQ(std::strlen(properties.name), sizeof properties.name - 1);
    EXPECT_EQ(DRIVER_CALL(gpu, zetMetricGroupAddMetricExp)(group, stale, nullptr, nullptr), kBad);
    EXPECT_EQ(DRIVER_CALL(gpu, zetMetricDestroyExp)(stale), kBad);
}
TEST(Programmables, BadInputIsRefused) { EXPECT_RUNS(measured("badInputToProgrammablesIsRefused")); }

}  // namespace
}  // namespace zetl::test
