// Metric groups and their metrics.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/handle_head.h"
#include "base/result.h"
#include "device/device.h"
#include "metrics/group_table.h"

namespace zetl::metrics {

class Group;

/// One column of one group. Immutable; lives as long as its group.
class Metric : public RoutedObject<Metric, zet_metric_handle_t> {
  public:
    /// `counter`: what the column shows, if that is a counter.
    Metric(const Group& group, const Column& column, const zetl_counter_info_t* counter);
    const Group& group() const noexcept { return group_; }
    const Column& column() const noexcept { return column_; }
    /// The column's, or FLOAT64 for a counter that the device counts in doubles.
    zet_value_type_t value() const noexcept { return value_; }
    void fill(zet_metric_properties_t& properties) const;

  private:
    const Group& group_;
    const Column& column_;
    const zet_value_type_t value_;
};

using Catalogue = std::vector<const zetl_counter_info_t*>;

/// A template made real for one device and one sampling type: the columns whose counters the device has, and the
/// device's plan for them. Immutable; lives as long as the Metrics that made it.
class Group : public RoutedObject<Group, zet_metric_group_handle_t> {
  public:
    /// UNSUPPORTED_FEATURE if the device counts nothing of it.
    static Result<std::shared_ptr<Group>> make(const device::Device& device, const GroupTemplate& shape,
                                               zet_metric_group_sampling_type_flag_t sampling);

    const device::Device& device() const noexcept { return device_; }
    const char* name() const noexcept { return shape_.name; }
    std::uint32_t domain() const noexcept { return shape_.domain; }
    zet_metric_group_sampling_type_flag_t sampling() const noexcept { return sampling_; }
    bool timeBased() const noexcept { return sampling_ == ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_TIME_BASED; }
    zetl_source_t source() const noexcept { return timeBased() ? ZETL_SOURCE_STREAM : ZETL_SOURCE_QUERY; }

    const std::vector<std::shared_ptr<Metric>>& metrics() const noexcept { return metrics_; }
    const std::vector<std::byte>& plan() const noexcept { return plan_; }
    const std::vector<const char*>& counters() const noexcept { return counters_; }
    /// How the device counts each of them.
    const std::vector<zetl_value_type_t>& valueTypes() const noexcept { return valueTypes_; }
    std::uint64_t shortestPeriod() const noexcept { return shortestPeriod_; }

    /// Bytes of the device's report, and of ours, which puts time, reason and marker in front (metrics/report.h).
    std::uint64_t deviceReportBytes() const noexcept { return deviceReportBytes_; }
    std::uint64_t reportBytes() const noexcept;

    /// Writes the structure and the extensions chained to it that we know.
    void fill(zet_metric_group_properties_t& properties) const;

  private:
    Group(const device::Device& device, const GroupTemplate& shape, zet_metric_group_sampling_type_flag_t sampling)
        : device_(device), shape_(shape), sampling_(sampling) {}
    bool choose(const Catalogue& catalogue);
    zetl_status_t plan(const char* chip);

    const device::Device& device_;
    const GroupTemplate& shape_;
    const zet_metric_group_sampling_type_flag_t sampling_;
    std::vector<std::shared_ptr<Metric>> metrics_;
    std::vector<const char*> counters_;  ///< what the plan was made of
    std::vector<zetl_value_type_t> valueTypes_;
    std::vector<std::byte> plan_;
    std::uint64_t deviceReportBytes_ = 0;
    std::uint64_t shortestPeriod_ = 0;
};

}  // namespace zetl::metrics
