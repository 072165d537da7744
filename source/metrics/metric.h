// One metric: a column of a group.
#pragma once

#include "base/handle_head.h"
#include "device/device.h"
#include "metrics/calculation/descriptor.h"

namespace zetl::metrics {

/// Immutable. A predefined one lives as long as its group, one made from a programmable until it is destroyed.
class Metric : public RoutedObject<Metric, zet_metric_handle_t> {
  public:
    Metric(const device::Device& device, Column column, bool userMade)
        : device_(device), column_(std::move(column)), userMade_(userMade) {}

    const device::Device& device() const noexcept { return device_; }
    const Column& column() const noexcept { return column_; }
    bool userMade() const noexcept { return userMade_; }
    void fill(zet_metric_properties_t& properties) const;

  private:
    const device::Device& device_;
    const Column column_;
    const bool userMade_;
};

}  // namespace zetl::metrics
