#include "emulated_gpu/measured_gpu.h"

namespace zetl::test {

Process measured(const std::string& scenario, const std::string& profile) {
    return emulated(scenario, profile).with("ZET_ENABLE_METRICS", "1");
}

zet_metric_group_handle_t groupOf(ze_device_handle_t device, const std::string& name,
                                  zet_metric_group_sampling_type_flag_t sampling) {
    for (auto* const handle : listOf(zetMetricGroupGet, device)) {
        zet_metric_group_properties_t properties{};
        EXPECT_OK(zetMetricGroupGetProperties(handle, &properties));
        if (properties.name == name && (properties.samplingType & sampling)) return handle;
    }
    ADD_FAILURE() << "no group " << name;
    return nullptr;
}

zet_metric_group_handle_t group(const Gpu& gpu, const std::string& name,
                                zet_metric_group_sampling_type_flag_t sampling) {
    return groupOf(gpu.device(), name, sampling);
}

std::vector<std::string> columnsOf(zet_metric_group_handle_t group) {
    std::vector<std::string> names;
    for (auto* const metric : listOf(zetMetricGet, group)) {
        zet_metric_properties_t properties{};
        EXPECT_OK(zetMetricGetProperties(metric, &properties));
        names.emplace_back(properties.name);
    }
    return names;
}

std::vector<Row> rowsOf(zet_metric_group_handle_t group, const std::vector<std::uint8_t>& raw) {
    std::uint32_t count = 0;
    constexpr auto kType = ZET_METRIC_GROUP_CALCULATION_TYPE_METRIC_VALUES;
    EXPECT_OK(zetMetricGroupCalculateMetricValues(group, kType, raw.size(), raw.data(), &count, nullptr));
    std::vector<zet_typed_value_t> values(count);
    EXPECT_OK(zetMetricGroupCalculateMetricValues(group, kType, raw.size(), raw.data(), &count, values.data()));
    const auto names = columnsOf(group);
    std::vector<Row> rows(count / names.size());
    for (std::uint32_t i = 0; i < count; ++i) rows[i / names.size()][names[i % names.size()]] = values[i];
    return rows;
}

void activate(const Gpu& gpu, zet_metric_group_handle_t group) {
    ASSERT_OK(zetContextActivateMetricGroups(gpu.context(), gpu.device(), 1, &group));
}

TraceOrder::TraceOrder(const Gpu& gpu) {
    ze_device_properties_t properties{};
    properties.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;  // a tick's nanoseconds
    EXPECT_OK(zeDeviceGetProperties(gpu.device(), &properties));
    range_ = properties.timerResolution << properties.timestampValidBits;
}

bool TraceOrder::operator()(std::uint64_t earlier, std::uint64_t later) const noexcept {
    return (later - earlier + range_) % range_ < range_ / 2;
}

}  // namespace zetl::test
