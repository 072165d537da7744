// Metric groups.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/handle_head.h"
#include "base/result.h"
#include "base/synchronized.h"
#include "metrics/measurement.h"
#include "metrics/metric.h"

namespace zetl::metrics {

/// What a group holds at a moment: `measurement` is null while it is open, that is while its user still adds metrics.
struct GroupContent {
    std::vector<std::shared_ptr<Metric>> members;  ///< that the user put into it
    std::vector<std::shared_ptr<Metric>> metrics;  ///< these; of a closed group also what every group has
    std::shared_ptr<const Measurement> measurement;
};

/// One group of one device and one sampling type: ready-made, and then immutable, or made by the user. Thread-safe.
class Group : public RoutedObject<Group, zet_metric_group_handle_t> {
  public:
    /// UNSUPPORTED_FEATURE if the device counts nothing of it.
    static Result<std::shared_ptr<Group>> predefined(const device::Device& device, const GroupShape& shape);
    /// Open and empty; the shape has no columns.
    Group(const device::Device& device, GroupShape shape, bool userMade)
        : device_(device), shape_(std::move(shape)), userMade_(userMade) {}

    const device::Device& device() const noexcept { return device_; }
    const std::string& name() const noexcept { return shape_.name; }
    std::uint32_t domain() const noexcept { return shape_.domain; }
    bool userMade() const noexcept { return userMade_; }
    bool timeBased() const noexcept { return shape_.sampling == ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_TIME_BASED; }
    zetl_source_t source() const noexcept { return timeBased() ? ZETL_SOURCE_STREAM : ZETL_SOURCE_QUERY; }
    bool eventBased() const noexcept { return shape_.sampling == ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_EVENT_BASED; }

    /// Of a group made by the user. INVALID_ARGUMENT for a metric of another kind of device, or not made by the user;
    /// one that is in it already stays. Opens the group.
    ze_result_t add(std::shared_ptr<Metric> metric, std::string& why);
    /// INVALID_ARGUMENT for a metric that is not in it. Opens the group.
    ze_result_t remove(const Metric& metric);
    /// NOT_READY while it is empty. What every group has is added to its metrics.
    ze_result_t close();
    bool contains(const Metric& metric) const;

    GroupContent content() const;
    std::shared_ptr<const Measurement> measurement() const { return content().measurement; }

    /// Writes the structure and the extensions chained to it that we know.
    void fill(zet_metric_group_properties_t& properties) const;

  private:
    static void open(GroupContent& content);

    const device::Device& device_;
    const GroupShape shape_;
    const bool userMade_;
    Synchronized<GroupContent> content_;
};

}  // namespace zetl::metrics
