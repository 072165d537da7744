// A metric scope of Intel's driver: a part of a device to which calculated values belong.
#pragma once

#include <string>

#include "base/handle_head.h"
#include "device/device.h"
#include "ze_tools_layer/level_zero/intel_metrics.h"

namespace zetl::metrics {

/// One tile of a device, or all of them together. Immutable; lives as long as the Metrics.
class Scope : public RoutedObject<Scope, zet_intel_metric_scope_exp_handle_t> {
  public:
    /// All tiles together, the first scope of a device that has several.
    explicit Scope(const device::Device& device);
    /// `id`: its place among the device's scopes. `set`: its place among the sets of the device's raw data.
    /// `tile`: the number in its name.
    Scope(const device::Device& device, std::uint32_t id, std::uint32_t set, std::uint32_t tile);

    const device::Device& device() const noexcept { return device_; }
    std::uint32_t id() const noexcept { return id_; }
    std::uint32_t set() const noexcept { return set_; }
    bool aggregated() const noexcept { return aggregated_; }
    void fill(zet_intel_metric_scope_properties_exp_t& properties) const;

  private:
    const device::Device& device_;
    const std::uint32_t id_;
    const std::uint32_t set_;
    const bool aggregated_;
    const std::string name_;
    const std::string description_;
};

}  // namespace zetl::metrics
