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

/// A group's content at one moment. It is open while its user still adds metrics.
struct GroupContent {
    bool open = true;
    std::vector<std::shared_ptr<Metric>> members;    ///< the metrics that the user put into it
    std::vector<std::shared_ptr<Metric>> metrics;    ///< these; in a closed group also those of every group
    std::shared_ptr<const Measurement> measurement;  ///< null while the group is open, and for a traced one
};

/// One group of one device and one sampling type: ready-made, and then immutable, or made by the user. Thread-safe.
class Group : public RoutedObject<Group, zet_metric_group_handle_t> {
  public:
    /// UNSUPPORTED_FEATURE if the device counts, samples or traces nothing for it.
    static Result<std::shared_ptr<Group>> predefined(const device::Device& device, const GroupShape& shape);
    /// Open and empty; the shape has no columns.
    Group(const device::Device& device, GroupShape shape, bool userMade)
        : device_(device), shape_(std::move(shape)), userMade_(userMade) {}

    const device::Device& device() const noexcept { return device_; }
    const std::string& name() const noexcept { return shape_.name; }
    std::uint32_t domain() const noexcept { return shape_.domain; }
    bool userMade() const noexcept { return userMade_; }
    bool timeBased() const noexcept { return shape_.sampling == ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_TIME_BASED; }
    /// Traced groups use none of the sources that exclude each other; for them the result has no meaning.
    zetl_source_t source() const noexcept;
    bool traced() const noexcept {
        return shape_.source == GroupSource::events || shape_.source == GroupSource::eventMemory;
    }
    /// Whether its reports can have markers.
    bool marks() const noexcept { return timeBased() && shape_.source == GroupSource::counters; }
    bool eventBased() const noexcept { return shape_.sampling == ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_EVENT_BASED; }

    /// Adds a metric to a group made by the user, and opens the group. INVALID_ARGUMENT for a metric of another kind of
    /// device, or for a group that the user did not make. A metric that is in it already stays.
    ze_result_t add(std::shared_ptr<Metric> metric, std::string& why);
    /// Removes a metric, and opens the group. INVALID_ARGUMENT for a metric that is not in it.
    ze_result_t remove(const Metric& metric);
    /// Adds the metrics of every group. NOT_READY while it is empty.
    ze_result_t close();
    bool contains(const Metric& metric) const;
    /// Whether zetMetricGet lists it.
    bool lists(const Metric& metric) const;

    GroupContent content() const;
    std::shared_ptr<const Measurement> measurement() const { return content().measurement; }
    bool isOpen() const { return content().open; }
    /// The clock of its reports, and its kind.
    CounterClock clock() const;
    zetl_clock_kind_t clockKind() const noexcept;

    /// Writes the structure, and the chained extensions that we know.
    void fill(zet_metric_group_properties_t& properties) const;

  private:
    static void open(GroupContent& content);
    static Result<std::shared_ptr<Group>> ofEvents(const device::Device& device, const GroupShape& shape);
    bool exportsMemory() const noexcept { return shape_.source == GroupSource::eventMemory; }
    zet_metric_group_type_exp_flags_t kind() const noexcept;
    void fillExport(zet_export_dma_buf_exp_properties_t& properties) const;

    const device::Device& device_;
    const GroupShape shape_;
    const bool userMade_;
    Synchronized<GroupContent> content_;
};

}  // namespace zetl::metrics
