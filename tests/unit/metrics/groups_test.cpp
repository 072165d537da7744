// Groups list what the device counts; activation and enabling follow the specification.
#include <algorithm>

#include "metrics_fixture.h"
#include "ze_tools_layer/level_zero/intel_metrics.h"
#include "ze_tools_layer/metric_error.h"
#include "ze_tools_layer/profile_tokens.h"

namespace zetl::metrics {
namespace {

namespace fake = test::fake;

using Groups = MetricsTest;

struct SwitchedOff : MetricsTest {
    SwitchedOff() : MetricsTest(false) {}
};

TEST_F(Groups, TimeBasedComesFirstAndEverySetHasBoth) {
    const auto handles = groups();
    ASSERT_EQ(handles.size(), 8u);
    for (std::size_t i = 0; i < handles.size(); i += 2) {
        EXPECT_EQ(properties(handles[i]).samplingType,
                  zet_metric_group_sampling_type_flags_t(ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_TIME_BASED));
        EXPECT_EQ(properties(handles[i + 1]).samplingType,
                  zet_metric_group_sampling_type_flags_t(ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_EVENT_BASED));
        EXPECT_STREQ(properties(handles[i]).name, properties(handles[i + 1]).name);
    }
    EXPECT_STREQ(properties(handles[0]).name, "ComputeBasic");
}

TEST_F(Groups, ColumnsThatTheDeviceDoesNotCountAreLeftOut) {
    const auto names = columns(eventGroup());
    const auto has = [&](const char* name) { return std::find(names.begin(), names.end(), name) != names.end(); };
    EXPECT_TRUE(has("GpuTime"));
    EXPECT_TRUE(has("XVE_ACTIVE"));
    EXPECT_TRUE(has("XVE_STALL"));
    EXPECT_TRUE(has("L3_BYTE_READ"));
    EXPECT_FALSE(has("L3_BYTE_WRITE")) << "the scripted device has no such counter";
    EXPECT_FALSE(has("XVE_INST_EXECUTED_ALU0_ALL"));
    EXPECT_FALSE(has("ReportReason")) << "event groups have no reports of their own";
    EXPECT_EQ(names.size(), properties(eventGroup()).metricCount);
}

TEST_F(Groups, CountIsClampedAndSmallArraysAreHonoured) {
    std::uint32_t count = 1000;
    std::vector<zet_metric_group_handle_t> handles(1000);
    ASSERT_EQ(metrics_.groupGet(device_, &count, handles.data()), ZE_RESULT_SUCCESS);
    EXPECT_EQ(count, 8u);
    count = 2;
    handles.assign(1000, nullptr);
    ASSERT_EQ(metrics_.groupGet(device_, &count, handles.data()), ZE_RESULT_SUCCESS);
    EXPECT_EQ(count, 2u);
    EXPECT_EQ(handles[2], nullptr);
    ASSERT_EQ(metrics_.groupGet(device_, &count, nullptr), ZE_RESULT_SUCCESS);
    EXPECT_EQ(count, 2u) << "as the core functions do";
}

TEST_F(Groups, AChainThatLeadsNowhereEndsThere) {
    zet_metric_group_type_exp_t type{};
    type.stype = ZET_STRUCTURE_TYPE_METRIC_GROUP_TYPE_EXP;
    type.pNext = reinterpret_cast<void*>(0x10);  // left uninitialised
    zet_metric_group_properties_t properties{};
    properties.pNext = &type;
    ASSERT_EQ(metrics_.groupGetProperties(timeGroup(), &properties), ZE_RESULT_SUCCESS);
    EXPECT_NE(type.type, 0u);
}

TEST_F(Groups, ExtensionsInTheChainAreFilledAndUnknownOnesIgnored) {
    zet_metric_group_type_exp_t type{};
    type.stype = ZET_STRUCTURE_TYPE_METRIC_GROUP_TYPE_EXP;
    ze_base_properties_t unknown{static_cast<ze_structure_type_t>(0x7abcdef), &type};
    zet_metric_global_timestamps_resolution_exp_t resolution{};
    resolution.stype = ZET_STRUCTURE_TYPE_METRIC_GLOBAL_TIMESTAMPS_RESOLUTION_EXP;
    resolution.pNext = &unknown;
    zet_metric_group_properties_t properties{};
    properties.pNext = &resolution;
    ASSERT_EQ(metrics_.groupGetProperties(timeGroup(), &properties), ZE_RESULT_SUCCESS);
    EXPECT_EQ(resolution.timerResolution, fake::kTicksPerSecond);
    EXPECT_EQ(resolution.timestampValidBits, 64u);
    EXPECT_TRUE(type.type & ZET_METRIC_GROUP_TYPE_EXP_FLAG_MARKER);
    EXPECT_EQ(properties.pNext, &resolution);
}

zetl_metric_error_properties_t errorProperties(void* next = nullptr) {
    return {ZETL_STRUCTURE_TYPE_METRIC_ERROR_PROPERTIES, next, 77, "left as it was"};
}

/// The scripted device counts all that it has, and has no counters for errors.
TEST_F(Groups, ErrorsAreSaidOfEachMetricOfAChain) {
    const auto metric = metricsOf(timeGroup()).front();
    auto error = errorProperties();
    zet_intel_metric_calculable_properties_exp_t known{};
    known.stype = ZET_INTEL_STRUCTURE_TYPE_METRIC_CALCULABLE_PROPERTIES_EXP;
    known.pNext = &error;
    ze_base_properties_t unknown{static_cast<ze_structure_type_t>(0x7abcdef), &known};
    zet_metric_properties_t properties{};
    properties.pNext = &unknown;
    ASSERT_EQ(metrics_.metricGetProperties(metric, &properties), ZE_RESULT_SUCCESS);
    EXPECT_FALSE(error.isModelled);
    EXPECT_STREQ(error.errorMetric, "");
    EXPECT_TRUE(known.isCalculable);
    properties.pNext = nullptr;
    EXPECT_EQ(metrics_.metricGetProperties(metric, &properties), ZE_RESULT_SUCCESS);
}

TEST_F(Groups, ErrorsInAChainThatIsNoneAreStillSaid) {
    const auto metric = metricsOf(timeGroup()).front();
    auto error = errorProperties(reinterpret_cast<void*>(0x10));
    zet_metric_properties_t properties{};
    properties.pNext = &error;
    ASSERT_EQ(metrics_.metricGetProperties(metric, &properties), ZE_RESULT_SUCCESS);
    EXPECT_STREQ(error.errorMetric, "") << "the address behind it is nothing";
    error = errorProperties(&error);
    ASSERT_EQ(metrics_.metricGetProperties(metric, &properties), ZE_RESULT_SUCCESS);
    EXPECT_STREQ(error.errorMetric, "") << "the chain is a circle";
    auto wrong = errorProperties();
    wrong.stype = ZETL_STRUCTURE_TYPE_PROFILE_TOKENS;
    properties.pNext = &wrong;
    ASSERT_EQ(metrics_.metricGetProperties(metric, &properties), ZE_RESULT_SUCCESS);
    EXPECT_EQ(wrong.isModelled, 77) << "another structure of ours is not written";
}

TEST_F(Groups, BadHandlesAndPointersHaveTheirCodes) {
    std::uint32_t count = 0;
    const auto foreign = reinterpret_cast<zet_metric_group_handle_t>(0x77);
    zet_metric_group_properties_t properties{};
    EXPECT_EQ(metrics_.groupGet(fake::foreignDevice(), &count, nullptr), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    EXPECT_EQ(metrics_.groupGetProperties(foreign, &properties), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(metrics_.metricGet(foreign, &count, nullptr), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    zet_metric_properties_t metric{};
    EXPECT_EQ(metrics_.metricGetProperties(reinterpret_cast<zet_metric_handle_t>(0x78), &metric),
              ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

TEST_F(Groups, TwoGroupsOfOneDomainAreRefusedBeforeAnythingChanges) {
    ASSERT_EQ(activate({timeGroup("InstructionMix")}), ZE_RESULT_SUCCESS);
    EXPECT_EQ(activate({timeGroup(), timeGroup("MemoryTraffic")}), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    zet_metric_streamer_desc_t desc{ZET_STRUCTURE_TYPE_METRIC_STREAMER_DESC, nullptr, 100, 100000};
    zet_metric_streamer_handle_t streamer = nullptr;
    EXPECT_EQ(metrics_.streamerOpen(context_, device_, timeGroup("InstructionMix"), &desc, nullptr, &streamer),
              ZE_RESULT_SUCCESS);
}

TEST_F(Groups, ActivationReplacesTheFormerSet) {
    ASSERT_EQ(activate({timeGroup()}), ZE_RESULT_SUCCESS);
    ASSERT_EQ(activate({timeGroup(), timeGroup("InstructionMix")}), ZE_RESULT_SUCCESS);
    ASSERT_EQ(activate({timeGroup()}), ZE_RESULT_SUCCESS);
    zet_metric_streamer_desc_t desc{ZET_STRUCTURE_TYPE_METRIC_STREAMER_DESC, nullptr, 100, 100000};
    zet_metric_streamer_handle_t streamer = nullptr;
    EXPECT_EQ(metrics_.streamerOpen(context_, device_, timeGroup("InstructionMix"), &desc, nullptr, &streamer),
              ZE_RESULT_NOT_READY);
    EXPECT_EQ(streamer, nullptr);
    zet_metric_group_handle_t none = nullptr;
    EXPECT_EQ(metrics_.contextActivateMetricGroups(context_, device_, 0, &none), ZE_RESULT_SUCCESS);
    EXPECT_EQ(metrics_.contextActivateMetricGroups(context_, device_, 1, nullptr), ZE_RESULT_ERROR_INVALID_SIZE);
}

TEST_F(Groups, ConcurrentGroupsTakeOneOfEachDomain) {
    std::vector<zet_metric_group_handle_t> handles = {timeGroup(), timeGroup("MemoryTraffic"),
                                                      timeGroup("InstructionMix")};
    std::uint32_t sets = 0;
    ASSERT_EQ(metrics_.deviceGetConcurrentMetricGroupsExp(device_, 3, handles.data(), nullptr, &sets),
              ZE_RESULT_SUCCESS);
    ASSERT_EQ(sets, 2u);
    std::uint32_t counts[2] = {};
    ASSERT_EQ(metrics_.deviceGetConcurrentMetricGroupsExp(device_, 3, handles.data(), counts, &sets),
              ZE_RESULT_SUCCESS);
    EXPECT_EQ(counts[0], 2u);
    EXPECT_EQ(counts[1], 1u);
    EXPECT_EQ(handles[1], timeGroup("InstructionMix"));
    EXPECT_EQ(activate({handles[0], handles[1]}), ZE_RESULT_SUCCESS);
}

TEST_F(Groups, GlobalTimestampsComeAsAPair) {
    fake::setTime(4711);
    std::uint64_t global = 0;
    std::uint64_t metric = 0;
    ASSERT_EQ(metrics_.groupGetGlobalTimestampsExp(timeGroup(), true, &global, &metric), ZE_RESULT_SUCCESS);
    EXPECT_EQ(global, 4711u);
    EXPECT_EQ(metric, 4711u);
}

TEST_F(SwitchedOff, GroupsNeedTheEnvironmentOrTheCall) {
    std::uint32_t count = 5;
    EXPECT_EQ(metrics_.groupGet(device_, &count, nullptr), ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE);
    EXPECT_EQ(count, 0u);
    ASSERT_EQ(metrics_.deviceEnableMetricsExp(device_), ZE_RESULT_SUCCESS);
    ASSERT_EQ(metrics_.deviceEnableMetricsExp(device_), ZE_RESULT_SUCCESS);
    EXPECT_EQ(groups().size(), 8u);
    ASSERT_EQ(activate({timeGroup()}), ZE_RESULT_SUCCESS);
    EXPECT_EQ(metrics_.deviceDisableMetricsExp(device_), ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    ASSERT_EQ(activate({}), ZE_RESULT_SUCCESS);
    EXPECT_EQ(metrics_.deviceDisableMetricsExp(device_), ZE_RESULT_SUCCESS);
    EXPECT_EQ(metrics_.deviceDisableMetricsExp(device_), ZE_RESULT_SUCCESS);
    EXPECT_EQ(groups().size(), 8u) << "groups and properties stay";
    EXPECT_EQ(activate({timeGroup()}), ZE_RESULT_ERROR_UNINITIALIZED);
}

TEST_F(Groups, WhatTheEnvironmentSwitchedOnStaysOn) {
    ASSERT_EQ(activate({timeGroup()}), ZE_RESULT_SUCCESS);
    EXPECT_EQ(metrics_.deviceDisableMetricsExp(device_), ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
    ASSERT_EQ(activate({}), ZE_RESULT_SUCCESS);
    EXPECT_EQ(metrics_.deviceDisableMetricsExp(device_), ZE_RESULT_SUCCESS);
    EXPECT_EQ(activate({timeGroup()}), ZE_RESULT_SUCCESS);
}

}  // namespace
}  // namespace zetl::metrics
