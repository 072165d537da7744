// Metrics as the samples use them: a group by name, its columns, and its values as text.
#pragma once

#include <level_zero/zet_api.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace session {

/// All that a function lists which first counts.
template <class From, class T>
std::vector<T> listOf(ze_result_t(ZE_APICALL* get)(From, std::uint32_t*, T*), From from) {
    std::uint32_t count = 0;
    if (get(from, &count, nullptr) != ZE_RESULT_SUCCESS || count == 0) return {};
    std::vector<T> all(count);
    if (get(from, &count, all.data()) != ZE_RESULT_SUCCESS) return {};
    all.resize(count);
    return all;
}

/// Metrics are off unless ZET_ENABLE_METRICS is 1 at zeInit: before the session is made. A value that is there stays.
void switchMetricsOn();

zet_metric_group_properties_t propertiesOf(zet_metric_group_handle_t group);
zet_metric_properties_t propertiesOf(zet_metric_handle_t metric);

/// The group that says how much a device computes, and two of its columns: each vendor has names of its own.
struct ComputeGroup {
    const char* name;
    const char* work;    ///< what was executed
    const char* active;  ///< more than 0 while the device computes
};
/// Ends the program, saying why, if the device has none that the samples know.
const ComputeGroup& computeGroupOf(ze_device_handle_t device);

/// Ends the program, saying why, if the device has no such group.
zet_metric_group_handle_t findGroup(ze_device_handle_t device, const std::string& name,
                                    zet_metric_group_sampling_type_flag_t sampling);

/// The values of the group's raw data, row by row.
std::vector<zet_typed_value_t> calculate(zet_metric_group_handle_t group, const std::vector<std::uint8_t>& raw);

/// Where the group's rows have that column. Ends the program, saying why, if there is none.
std::size_t columnOf(zet_metric_group_handle_t group, const char* name);

/// Of a value of any type.
double numberOf(const zet_typed_value_t& value);
std::string textOf(const zet_typed_value_t& value);

}  // namespace session
