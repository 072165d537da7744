#include "session/metrics.h"

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "session/check.h"

namespace session {

void switchMetricsOn() { setenv("ZET_ENABLE_METRICS", "1", 0); }

zet_metric_group_properties_t propertiesOf(zet_metric_group_handle_t group) {
    zet_metric_group_properties_t properties{};
    properties.stype = ZET_STRUCTURE_TYPE_METRIC_GROUP_PROPERTIES;
    CHECK(zetMetricGroupGetProperties(group, &properties));
    return properties;
}

zet_metric_properties_t propertiesOf(zet_metric_handle_t metric) {
    zet_metric_properties_t properties{};
    properties.stype = ZET_STRUCTURE_TYPE_METRIC_PROPERTIES;
    CHECK(zetMetricGetProperties(metric, &properties));
    return properties;
}

const ComputeGroup& computeGroupOf(ze_device_handle_t device) {
    static constexpr ComputeGroup kGroups[] = {{"ComputeBasic", "XVE_COMPUTE_THREAD_COUNT", "XVE_ACTIVE"},  // Intel
                                               {"NvidiaCompute", "sm__inst_executed.sum", "sm__cycles_active.sum"}};
    for (auto* const handle : listOf(zetMetricGroupGet, device)) {
        const std::string name = propertiesOf(handle).name;
        for (const auto& group : kGroups)
            if (name == group.name) return group;
    }
    std::fprintf(stderr, "the device has none of the metric groups ComputeBasic and NvidiaCompute\n");
    std::exit(EXIT_FAILURE);
}

zet_metric_group_handle_t findGroup(ze_device_handle_t device, const std::string& name,
                                    zet_metric_group_sampling_type_flag_t sampling) {
    for (auto* const group : listOf(zetMetricGroupGet, device)) {
        const auto properties = propertiesOf(group);
        if (properties.name == name && (properties.samplingType & sampling) != 0) return group;
    }
    std::fprintf(stderr, "the device has no such metric group: %s\n", name.c_str());
    std::exit(EXIT_FAILURE);
}

std::vector<zet_typed_value_t> calculate(zet_metric_group_handle_t group, const std::vector<std::uint8_t>& raw) {
    constexpr auto kType = ZET_METRIC_GROUP_CALCULATION_TYPE_METRIC_VALUES;
    std::uint32_t count = 0;
    CHECK(zetMetricGroupCalculateMetricValues(group, kType, raw.size(), raw.data(), &count, nullptr));
    std::vector<zet_typed_value_t> values(count);
    CHECK(zetMetricGroupCalculateMetricValues(group, kType, raw.size(), raw.data(), &count, values.data()));
    values.resize(count);
    return values;
}

std::size_t columnOf(zet_metric_group_handle_t group, const char* name) {
    const auto metrics = listOf(zetMetricGet, group);
    for (std::size_t i = 0; i < metrics.size(); ++i)
        if (std::strcmp(propertiesOf(metrics[i]).name, name) == 0) return i;
    std::fprintf(stderr, "the group has no column %s\n", name);
    std::exit(EXIT_FAILURE);
}

double numberOf(const zet_typed_value_t& value) {
    switch (value.type) {
        case ZET_VALUE_TYPE_FLOAT32:
            return static_cast<double>(value.value.fp32);
        case ZET_VALUE_TYPE_FLOAT64:
            return value.value.fp64;
        case ZET_VALUE_TYPE_UINT32:
            return value.value.ui32;
        case ZET_VALUE_TYPE_BOOL8:
            return value.value.b8;
        default:
            return static_cast<double>(value.value.ui64);
    }
}

std::string textOf(const zet_typed_value_t& value) {
    char text[64];
    switch (value.type) {
        case ZET_VALUE_TYPE_FLOAT32:
            std::snprintf(text, sizeof text, "%.2f", static_cast<double>(value.value.fp32));
            break;
        case ZET_VALUE_TYPE_FLOAT64:
            std::snprintf(text, sizeof text, "%.2f", value.value.fp64);
            break;
        case ZET_VALUE_TYPE_UINT32:
            std::snprintf(text, sizeof text, "%" PRIu32, value.value.ui32);
            break;
        case ZET_VALUE_TYPE_BOOL8:
            return value.value.b8 ? "true" : "false";
        default:
            std::snprintf(text, sizeof text, "%" PRIu64, value.value.ui64);
    }
    return text;
}

}  // namespace session
