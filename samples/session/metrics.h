// Metrics for the samples: finds a group and its columns, and turns values into text.
#pragma once

#include <level_zero/zet_api.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace session {

/// All items of a function that first counts and then lists.
template <class From, class T>
std::vector<T> listOf(ze_result_t(ZE_APICALL* get)(From, std::uint32_t*, T*), From from) {
    std::uint32_t count = 0;
    if (get(from, &count, nullptr) != ZE_RESULT_SUCCESS || count == 0) return {};
    std::vector<T> all(count);
    if (get(from, &count, all.data()) != ZE_RESULT_SUCCESS) return {};
    all.resize(count);
    return all;
}

/// Metrics are off unless ZET_ENABLE_METRICS is 1 at zeInit, so call it before a session is made. Keeps a value that is
/// already set.
void switchMetricsOn();

zet_metric_group_properties_t propertiesOf(zet_metric_group_handle_t group);
zet_metric_properties_t propertiesOf(zet_metric_handle_t metric);

/// The group that shows how much a device computes, and two of its columns. Each vendor has its own names.
struct ComputeGroup {
    const char* name;
    const char* work;    ///< the amount of executed work
    const char* active;  ///< more than 0 while the device computes
};
/// Prints the reason and ends the program if the device has no such group that the samples know.
const ComputeGroup& computeGroupOf(ze_device_handle_t device);

/// Prints the reason and ends the program if the device has no such group.
zet_metric_group_handle_t findGroup(ze_device_handle_t device, const std::string& name,
                                    zet_metric_group_sampling_type_flag_t sampling);

/// The values of the group's raw data, row by row.
std::vector<zet_typed_value_t> calculate(zet_metric_group_handle_t group, const std::vector<std::uint8_t>& raw);

/// The index of that column in the group's rows. Prints the reason and ends the program if there is none.
std::size_t columnOf(zet_metric_group_handle_t group, const char* name);

/// The number in a value of any type.
double numberOf(const zet_typed_value_t& value);
std::string textOf(const zet_typed_value_t& value);

}  // namespace session
