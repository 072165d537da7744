// Metrics made from programmables, and groups made of them, in both generations of the API.
#include <algorithm>
#include <cstring>

#include "metrics_fixture.h"

namespace zetl::metrics {
namespace {

namespace fake = test::fake;

constexpr std::uint32_t kBytes = 3;  // the parameter of that number

class UserGroups : public MetricsTest {
  protected:
    std::vector<zet_metric_programmable_exp_handle_t> programmables() {
        std::uint32_t count = 0;
        EXPECT_EQ(metrics_.programmableGetExp(device_, &count, nullptr), ZE_RESULT_SUCCESS);
        std::vector<zet_metric_programmable_exp_handle_t> handles(count);
        EXPECT_EQ(metrics_.programmableGetExp(device_, &count, handles.data()), ZE_RESULT_SUCCESS);
        return handles;
    }
    zet_metric_programmable_exp_handle_t programmable(const std::string& name) {
        for (auto* handle : programmables()) {
            zet_metric_programmable_exp_properties_t properties{};
            EXPECT_EQ(metrics_.programmableGetPropertiesExp(handle, &properties), ZE_RESULT_SUCCESS);
            if (properties.name == name) return handle;
        }
        return nullptr;
    }
    ze_result_t make(std::vector<std::uint64_t> numbers, zet_metric_handle_t* metric, const char* name = "Mine") {
        std::vector<zet_metric_programmable_param_value_exp_t> values(numbers.size());
        for (std::size_t i = 0; i < numbers.size(); ++i) values[i].value.ui64 = numbers[i];
        std::uint32_t count = 1;
        return metrics_.metricCreateFromProgrammableExp2(programmable("XVE_INST_EXECUTED_SEND_ALL"),
                                                         static_cast<std::uint32_t>(values.size()), values.data(), name,
                                                         "of a test", &count, metric);
    }
    zet_metric_handle_t metric(std::vector<std::uint64_t> numbers = {}, const char* name = "Mine") {
        zet_metric_handle_t made = nullptr;
        EXPECT_EQ(make(std::move(numbers), &made, name), ZE_RESULT_SUCCESS);
        return made;
    }
    zet_metric_group_handle_t open(zet_metric_group_sampling_type_flags_t sampling) {
        zet_metric_group_handle_t made = nullptr;
        EXPECT_EQ(metrics_.groupCreateExp(device_, "Group", "of a test", sampling, &made), ZE_RESULT_SUCCESS);
        return made;
    }
    /// The value of that column over 2000 ns, 4000 clocks and 160 sends.
    zet_typed_value_t measured(zet_metric_group_handle_t group, const char* column) {
        EXPECT_EQ(activate({group}), ZE_RESULT_SUCCESS);
        zet_metric_query_pool_desc_t desc{};
        desc.count = 1;
        zet_metric_query_pool_handle_t pool = nullptr;
        EXPECT_EQ(metrics_.queryPoolCreate(context_, device_, group, &desc, &pool), ZE_RESULT_SUCCESS);
        zet_metric_query_handle_t query = nullptr;
        EXPECT_EQ(metrics_.queryCreate(pool, 0, &query), ZE_RESULT_SUCCESS);
        fake::setTime(1000);
        EXPECT_EQ(metrics_.commandListAppendMetricQueryBegin(list_, query), ZE_RESULT_SUCCESS);
        fake::setTime(3000);
        fake::count("GpuCoreClocks", 4000);
        fake::count("XVE_INST_EXECUTED_SEND_ALL", 160);
        EXPECT_EQ(metrics_.commandListAppendMetricQueryEnd(list_, query, nullptr, 0, nullptr), ZE_RESULT_SUCCESS);
        std::size_t size = 0;
        EXPECT_EQ(metrics_.queryGetData(query, &size, nullptr), ZE_RESULT_SUCCESS);
        std::vector<std::uint8_t> raw(size);
        EXPECT_EQ(metrics_.queryGetData(query, &size, raw.data()), ZE_RESULT_SUCCESS);
        EXPECT_EQ(metrics_.queryPoolDestroy(pool), ZE_RESULT_SUCCESS);
        EXPECT_EQ(activate({}), ZE_RESULT_SUCCESS);
        return rows(group, raw).at(0).at(column);
    }
    static constexpr auto kEvent = ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_EVENT_BASED;
    static constexpr auto kTime = ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_TIME_BASED;
};

TEST_F(UserGroups, EveryCounterIsProgrammableAndSaysHow) {
    ASSERT_EQ(programmables().size(), 6u) << "the scripted device's counters";
    zet_metric_programmable_exp_properties_t properties{};
    const auto handle = programmable("L3_BYTE_READ");
    ASSERT_EQ(metrics_.programmableGetPropertiesExp(handle, &properties), ZE_RESULT_SUCCESS);
    ASSERT_EQ(properties.parameterCount, 4u);
    std::vector<zet_metric_programmable_param_info_exp_t> infos(9);
    std::uint32_t count = 9;
    ASSERT_EQ(metrics_.programmableGetParamInfoExp(handle, &count, infos.data()), ZE_RESULT_SUCCESS);
    EXPECT_EQ(count, 4u);
    EXPECT_STREQ(infos[kBytes].name, "bytes");
    EXPECT_EQ(infos[kBytes].defaultValue.ui64, 0u);
    zet_metric_programmable_param_value_info_exp_t value{};
    count = infos[kBytes].valueInfoCount;
    ASSERT_EQ(metrics_.programmableGetParamValueInfoExp(handle, kBytes, &count, &value), ZE_RESULT_SUCCESS);
    EXPECT_EQ(value.valueInfo.ui64Range.ui64Max, 65536u);
    count = 0;
    EXPECT_EQ(metrics_.programmableGetParamInfoExp(handle, &count, infos.data()), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(metrics_.programmableGetParamValueInfoExp(handle, 0, &count, &value), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    count = 1;
    EXPECT_EQ(metrics_.programmableGetParamValueInfoExp(handle, 4, &count, &value), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(metrics_.programmableGetPropertiesExp(reinterpret_cast<zet_metric_programmable_exp_handle_t>(&count),
                                                    &properties),
              ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

TEST_F(UserGroups, ParametersNormaliseTheCounter) {
    const auto group = open(kEvent);
    const auto add = [&](std::vector<std::uint64_t> values, const char* name) {
        EXPECT_EQ(metrics_.groupAddMetricExp(group, metric(std::move(values), name), nullptr, nullptr),
                  ZE_RESULT_SUCCESS);
    };
    add({}, "Counted");
    add({1}, "Utilization");
    add({0, 1}, "Average");
    add({0, 0, 1}, "Rate");
    add({0, 0, 0, 64}, "Bytes");
    ASSERT_EQ(metrics_.groupCloseExp(group), ZE_RESULT_SUCCESS);
    EXPECT_EQ(measured(group, "Counted").value.ui64, 160u);
    EXPECT_FLOAT_EQ(measured(group, "Utilization").value.fp32, 100.0f * 160 / (4000 * 8));
    EXPECT_FLOAT_EQ(measured(group, "Average").value.fp32, 20.0f);
    EXPECT_FLOAT_EQ(measured(group, "Rate").value.fp32, 0.08f);
    EXPECT_EQ(measured(group, "Bytes").value.ui64, 160u * 64);
}

TEST_F(UserGroups, ValuesBeyondTheirRangeAreRefused) {
    zet_metric_handle_t made = nullptr;
    EXPECT_EQ(make({2}, &made), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(make({0, 0, 0, 65537}, &made), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(make({1, 1}, &made), ZE_RESULT_ERROR_INVALID_ARGUMENT) << "two ways at once";
    EXPECT_EQ(make({0, 0, 0, 0, 0}, &made), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(made, nullptr);
    std::uint32_t count = 0;
    EXPECT_EQ(metrics_.metricCreateFromProgrammableExp(programmables()[0], nullptr, 0, "M", "", &count, nullptr),
              ZE_RESULT_SUCCESS);
    EXPECT_EQ(count, 1u);
    EXPECT_EQ(metrics_.metricCreateFromProgrammableExp(programmables()[0], nullptr, 1, "M", "", &count, &made),
              ZE_RESULT_ERROR_INVALID_NULL_POINTER);
}

TEST_F(UserGroups, ClosingAddsWhatEveryGroupHasAndAddingOpensAgain) {
    const auto group = open(kTime);
    EXPECT_EQ(metrics_.groupCloseExp(group), ZE_RESULT_NOT_READY) << "it is empty";
    const auto first = metric({}, "First");
    const auto second = metric({1}, "Second");
    ASSERT_EQ(metrics_.groupAddMetricExp(group, first, nullptr, nullptr), ZE_RESULT_SUCCESS);
    ASSERT_EQ(metrics_.groupAddMetricExp(group, first, nullptr, nullptr), ZE_RESULT_SUCCESS) << "it is in it already";
    EXPECT_EQ(columns(group), std::vector<std::string>{"First"});
    EXPECT_EQ(activate({group}), ZE_RESULT_ERROR_INVALID_ARGUMENT) << "it is open";
    ASSERT_EQ(metrics_.groupCloseExp(group), ZE_RESULT_SUCCESS);
    ASSERT_EQ(metrics_.groupCloseExp(group), ZE_RESULT_SUCCESS);
    const auto closed = columns(group);
    EXPECT_EQ(closed.front(), "GpuTime");
    EXPECT_NE(std::find(closed.begin(), closed.end(), "First"), closed.end());
    EXPECT_EQ(closed.back(), "ReportInterpolated");
    EXPECT_EQ(properties(group).metricCount, closed.size());

    ASSERT_EQ(metrics_.groupAddMetricExp(group, second, nullptr, nullptr), ZE_RESULT_SUCCESS);
    EXPECT_EQ(columns(group), (std::vector<std::string>{"First", "Second"}));
    EXPECT_EQ(activate({group}), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    ASSERT_EQ(metrics_.groupRemoveMetricExp(group, first), ZE_RESULT_SUCCESS);
    EXPECT_EQ(metrics_.groupRemoveMetricExp(group, first), ZE_RESULT_ERROR_INVALID_ARGUMENT) << "it is not in it";
    ASSERT_EQ(metrics_.groupCloseExp(group), ZE_RESULT_SUCCESS);
    EXPECT_EQ(activate({group}), ZE_RESULT_SUCCESS);
}

TEST_F(UserGroups, AnActiveGroupStaysAsItIs) {
    const auto group = open(kTime);
    const auto member = metric();
    ASSERT_EQ(metrics_.groupAddMetricExp(group, member, nullptr, nullptr), ZE_RESULT_SUCCESS);
    ASSERT_EQ(metrics_.groupCloseExp(group), ZE_RESULT_SUCCESS);
    ASSERT_EQ(activate({group}), ZE_RESULT_SUCCESS);
    EXPECT_EQ(metrics_.groupAddMetricExp(group, metric(), nullptr, nullptr), ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    EXPECT_EQ(metrics_.groupRemoveMetricExp(group, member), ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    EXPECT_EQ(metrics_.groupCloseExp(group), ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    EXPECT_EQ(metrics_.groupDestroyExp(group), ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    ASSERT_EQ(activate({}), ZE_RESULT_SUCCESS);
    EXPECT_EQ(metrics_.metricDestroyExp(member), ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE) << "it is in a group";
    EXPECT_EQ(metrics_.groupDestroyExp(group), ZE_RESULT_SUCCESS);
    EXPECT_EQ(metrics_.metricDestroyExp(member), ZE_RESULT_SUCCESS);
    EXPECT_EQ(metrics_.metricDestroyExp(member), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(metrics_.groupDestroyExp(group), ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

TEST_F(UserGroups, ReadyMadeGroupsAndMetricsAreNotTheUsers) {
    std::uint32_t count = 1;
    zet_metric_handle_t readyMade = nullptr;
    ASSERT_EQ(metrics_.metricGet(timeGroup(), &count, &readyMade), ZE_RESULT_SUCCESS);
    EXPECT_EQ(metrics_.groupAddMetricExp(timeGroup(), metric(), nullptr, nullptr), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(metrics_.groupRemoveMetricExp(timeGroup(), readyMade), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(metrics_.groupCloseExp(timeGroup()), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(metrics_.groupDestroyExp(timeGroup()), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(metrics_.metricDestroyExp(readyMade), ZE_RESULT_ERROR_INVALID_ARGUMENT);

    const auto group = open(kEvent);
    std::size_t size = 0;
    EXPECT_EQ(metrics_.groupAddMetricExp(group, readyMade, &size, nullptr), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    ASSERT_GT(size, 10u);
    std::string why(size, 'x');
    EXPECT_EQ(metrics_.groupAddMetricExp(group, readyMade, &size, why.data()), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(std::strlen(why.c_str()) + 1, size);
    size = 5;
    EXPECT_EQ(metrics_.groupAddMetricExp(group, readyMade, &size, why.data()), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(std::strlen(why.c_str()), 4u);
}

TEST_F(UserGroups, GroupsFromMetricsAreClosedOneASamplingType) {
    zet_metric_handle_t members[] = {metric({}, "First"), metric({1}, "Second")};
    std::uint32_t count = 0;
    ASSERT_EQ(
        metrics_.deviceCreateMetricGroupsFromMetricsExp(device_, 2, members, "Mine", "of a test", &count, nullptr),
        ZE_RESULT_SUCCESS);
    ASSERT_EQ(count, 2u);
    zet_metric_group_handle_t made[2] = {};
    count = 1;
    EXPECT_EQ(metrics_.deviceCreateMetricGroupsFromMetricsExp(device_, 2, members, "Mine", "of a test", &count, made),
              ZE_RESULT_ERROR_INVALID_ARGUMENT);
    count = 2;
    ASSERT_EQ(metrics_.deviceCreateMetricGroupsFromMetricsExp(device_, 2, members, "Mine", "of a test", &count, made),
              ZE_RESULT_SUCCESS);
    EXPECT_STREQ(properties(made[0]).name, "Mine0");
    EXPECT_EQ(properties(made[0]).samplingType, zet_metric_group_sampling_type_flags_t(kTime));
    EXPECT_EQ(properties(made[1]).samplingType, zet_metric_group_sampling_type_flags_t(kEvent));
    EXPECT_EQ(measured(made[1], "First").value.ui64, 160u);
    EXPECT_EQ(groups().size(), 8u) << "zetMetricGroupGet lists the ready-made ones";
    for (auto* group : made) EXPECT_EQ(metrics_.groupDestroyExp(group), ZE_RESULT_SUCCESS);
    for (auto* member : members) EXPECT_EQ(metrics_.metricDestroyExp(member), ZE_RESULT_SUCCESS);
    count = 0;
    EXPECT_EQ(metrics_.deviceCreateMetricGroupsFromMetricsExp(device_, 0, members, "M", "", &count, nullptr),
              ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(metrics_.deviceCreateMetricGroupsFromMetricsExp(device_, 2, members, "M", "", &count, nullptr),
              ZE_RESULT_ERROR_INVALID_ARGUMENT)
        << "they are destroyed";
}

TEST_F(UserGroups, SamplingTypesAreOneOfTwo) {
    zet_metric_group_handle_t made = nullptr;
    EXPECT_EQ(metrics_.groupCreateExp(device_, "G", "", 8, &made), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    for (const std::uint32_t sampling : {0u, 3u, 4u})
        EXPECT_EQ(metrics_.groupCreateExp(device_, "G", "", sampling, &made), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(made, nullptr);
}

TEST_F(UserGroups, NamesOfAnyBytesCanBeExported) {
    const auto group = open(kEvent);
    ASSERT_EQ(metrics_.groupAddMetricExp(group, metric({}, "a\"\\\x01\xff\n: {"), nullptr, nullptr), ZE_RESULT_SUCCESS);
    ASSERT_EQ(metrics_.groupCloseExp(group), ZE_RESULT_SUCCESS);
    const std::vector<std::uint8_t> raw(4096);
    std::size_t size = 0;
    ASSERT_EQ(metrics_.groupGetExportDataExp(group, raw.data(), 16 + 8 * 3, &size, nullptr), ZE_RESULT_SUCCESS);
    std::vector<std::uint8_t> data(size);
    ASSERT_EQ(metrics_.groupGetExportDataExp(group, raw.data(), 16 + 8 * 3, &size, data.data()), ZE_RESULT_SUCCESS);
    zet_metric_calculate_exp_desc_t desc{};
    std::uint32_t sets = 0;
    std::uint32_t total = 0;
    EXPECT_EQ(Metrics::calculateMetricExportDataExp(nullptr, ZET_METRIC_GROUP_CALCULATION_TYPE_METRIC_VALUES,
                                                    data.size(), data.data(), &desc, &sets, &total, nullptr, nullptr),
              ZE_RESULT_SUCCESS);
    EXPECT_EQ(total, properties(group).metricCount);
}

}  // namespace
}  // namespace zetl::metrics
