// Metrics of the emulated GPU as the tests use them: groups by name, rows by column.
#pragma once

#include <level_zero/zet_api.h>

#include <map>
#include <string>
#include <vector>

#include "emulated_gpu/gpu.h"

namespace zetl::test {

using Row = std::map<std::string, zet_typed_value_t>;

inline constexpr auto kEventBased = ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_EVENT_BASED;
inline constexpr auto kTimeBased = ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_TIME_BASED;
inline constexpr auto kTracerBased = ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_EXP_TRACER_BASED;
inline constexpr auto kMetricValues = ZET_METRIC_GROUP_CALCULATION_TYPE_METRIC_VALUES;

/// emulated(), with metrics.
Process measured(const std::string& scenario, const std::string& profile = "tiny");

zet_metric_group_handle_t groupOf(ze_device_handle_t device, const std::string& name,
                                  zet_metric_group_sampling_type_flag_t sampling);
zet_metric_group_handle_t group(const Gpu& gpu, const std::string& name,
                                zet_metric_group_sampling_type_flag_t sampling);
std::vector<std::string> columnsOf(zet_metric_group_handle_t group);
std::vector<Row> rowsOf(zet_metric_group_handle_t group, const std::vector<std::uint8_t>& raw);
void activate(const Gpu& gpu, zet_metric_group_handle_t group);

/// Whether one time of a tracer's entries is not before another: they are nanoseconds of the device clock, and wrap
/// with it, so the answer holds for times less than half its range apart.
class TraceOrder {
  public:
    explicit TraceOrder(const Gpu& gpu);
    bool operator()(std::uint64_t earlier, std::uint64_t later) const noexcept;

  private:
    std::uint64_t range_;
};

}  // namespace zetl::test
