// The metrics module on the scripted device.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "metrics/metrics.h"
#include "support/fake_core.h"

namespace zetl::metrics {

class MetricsTest : public testing::Test {
  protected:
    explicit MetricsTest(bool enabled = true, const test::fake::Character& character = {})
        : metrics_(test::fake::addTo(devices_, character), enabled, character.commands) {}

    std::vector<zet_metric_group_handle_t> groups() {
        std::uint32_t count = 0;
        EXPECT_EQ(metrics_.groupGet(device_, &count, nullptr), ZE_RESULT_SUCCESS);
        std::vector<zet_metric_group_handle_t> handles(count);
        EXPECT_EQ(metrics_.groupGet(device_, &count, handles.data()), ZE_RESULT_SUCCESS);
        return handles;
    }
    zet_metric_group_properties_t properties(zet_metric_group_handle_t group) {
        zet_metric_group_properties_t properties{};
        EXPECT_EQ(metrics_.groupGetProperties(group, &properties), ZE_RESULT_SUCCESS);
        return properties;
    }
    zet_metric_group_handle_t group(const std::string& name, zet_metric_group_sampling_type_flag_t sampling) {
        for (auto* handle : groups())
            if (properties(handle).name == name &&
                properties(handle).samplingType == zet_metric_group_sampling_type_flags_t(sampling))
                return handle;
        return nullptr;
    }
    zet_metric_group_handle_t timeGroup(const std::string& name = "ComputeBasic") {
        return group(name, ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_TIME_BASED);
    }
    zet_metric_group_handle_t eventGroup(const std::string& name = "ComputeBasic") {
        return group(name, ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_EVENT_BASED);
    }
    std::vector<zet_metric_handle_t> metricsOf(zet_metric_group_handle_t group) {
        std::uint32_t count = 0;
        metrics_.metricGet(group, &count, nullptr);
        std::vector<zet_metric_handle_t> handles(count);
        metrics_.metricGet(group, &count, handles.data());
        return handles;
    }
    std::vector<std::string> columns(zet_metric_group_handle_t group) {
        std::vector<std::string> names;
        for (auto* handle : metricsOf(group)) {
            zet_metric_properties_t properties{};
            EXPECT_EQ(metrics_.metricGetProperties(handle, &properties), ZE_RESULT_SUCCESS);
            names.emplace_back(properties.name);
        }
        return names;
    }
    ze_result_t activate(std::vector<zet_metric_group_handle_t> groups) {
        return metrics_.contextActivateMetricGroups(context_, device_, static_cast<std::uint32_t>(groups.size()),
                                                    groups.data());
    }
    /// All rows of a raw buffer, by column name.
    std::vector<std::map<std::string, zet_typed_value_t>> rows(zet_metric_group_handle_t group,
                                                               std::vector<std::uint8_t> raw) {
        std::uint32_t count = 0;
        EXPECT_EQ(metrics_.groupCalculateMetricValues(group, ZET_METRIC_GROUP_CALCULATION_TYPE_METRIC_VALUES,
                                                      raw.size(), raw.data(), &count, nullptr),
                  ZE_RESULT_SUCCESS);
        std::vector<zet_typed_value_t> values(count);
        EXPECT_EQ(metrics_.groupCalculateMetricValues(group, ZET_METRIC_GROUP_CALCULATION_TYPE_METRIC_VALUES,
                                                      raw.size(), raw.data(), &count, values.data()),
                  ZE_RESULT_SUCCESS);
        const auto names = columns(group);
        std::vector<std::map<std::string, zet_typed_value_t>> result(count / names.size());
        for (std::uint32_t i = 0; i < count; ++i) result[i / names.size()][names[i % names.size()]] = values[i];
        return result;
    }

    const ze_device_handle_t device_ = test::fake::deviceHandle();
    const ze_context_handle_t context_ = test::fake::contextHandle();
    const ze_command_list_handle_t list_ = test::fake::listHandle();
    device::Devices devices_{test::fake::coreCalls()};
    Metrics metrics_;
};

}  // namespace zetl::metrics
