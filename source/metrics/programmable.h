// Programmable metrics: a counter of the device, and the ways to make a metric from it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/handle_head.h"
#include "base/result.h"
#include "device/device.h"
#include "metrics/calculation/descriptor.h"

namespace zetl::metrics {

/// The domain of groups that users make.
inline constexpr std::uint32_t kUserDomain = 0;

/// A value that a parameter may take, or, for ranges, all of them.
struct ParameterValue {
    std::uint64_t least;
    std::uint64_t most;
    const char* description;
};

struct Parameter {
    zet_metric_programmable_param_type_exp_t type;
    const char* name;
    zet_value_info_type_exp_t valueType;
    std::span<const ParameterValue> values;  ///< the first begins with the default

    std::uint64_t defaultValue() const noexcept { return values.front().least; }
    bool takes(std::uint64_t value) const noexcept;
    /// The value in the union, by the parameter's type.
    std::uint64_t read(const zet_value_t& value) const noexcept;
    void write(zet_value_t& target, std::uint64_t value) const noexcept;
    void write(zet_value_info_exp_t& target, const ParameterValue& value) const noexcept;
};

/// The same for every programmable, in the order of their ordinals: ways to normalise, of which at most one may be
/// chosen.
std::span<const Parameter> parameters() noexcept;

/// Immutable; lives as long as the device's state.
class Programmable : public RoutedObject<Programmable, zet_metric_programmable_exp_handle_t> {
  public:
    Programmable(const device::Device& device, const zetl_counter_info_t& counter)
        : device_(device), counter_(counter) {}

    const device::Device& device() const noexcept { return device_; }
    void fill(zet_metric_programmable_exp_properties_t& properties) const;

    /// The column for values in the order of parameters(); values left out at the end are the defaults.
    /// INVALID_ARGUMENT, with a log line, for more values than parameters, a value beyond its range, or two ways to
    /// normalise at once.
    Result<Column> make(std::span<const zet_metric_programmable_param_value_exp_t> values, const char* name,
                        const char* description) const;

  private:
    const device::Device& device_;
    const zetl_counter_info_t& counter_;  ///< the provider's, which lives as long as the provider
};

}  // namespace zetl::metrics
