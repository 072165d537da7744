// What a group measures on one device, and how its raw data are turned into values.
#pragma once

#include <memory>
#include <vector>

#include "base/result.h"
#include "device/device.h"
#include "metrics/calculation/calculator.h"
#include "metrics/calculation/raw_sets.h"
#include "metrics/catalogue/group_shape.h"

namespace zetl::metrics {

/// The columns whose counters the device has, the device's plan for them, and the equations. Immutable.
class Measurement {
  public:
    /// UNSUPPORTED_FEATURE if the device counts none of the columns, or none of the counters that the group needs.
    static Result<std::shared_ptr<const Measurement>> make(const device::Device& device, const GroupShape& shape);

    const device::Device& device() const noexcept { return device_; }
    const Descriptor& descriptor() const noexcept { return calculator_->descriptor(); }
    zetl_source_t source() const noexcept { return source_; }

    const std::vector<std::byte>& plan() const noexcept { return plan_; }
    std::uint64_t shortestPeriod() const noexcept { return info_.shortest_period_ns; }
    /// The size of the device's counter report, and of ours, which puts time, reason and marker in front of it
    /// (metrics/calculation/report.h). Samples have only our reports (metrics/calculation/sample_report.h).
    std::uint64_t deviceReportBytes() const noexcept { return info_.report_bytes; }
    std::uint64_t reportBytes() const noexcept;

    /// The plain reports, or those of each tile. Codes of RawSets::of.
    Result<RawSets> setsOf(std::span<const std::byte> raw) const;
    const Calculator& calculator() const noexcept { return *calculator_; }
    /// True if the calculator reads raw data directly. Otherwise the device does not describe the layout of its
    /// reports, and they have to be evaluated first.
    bool readableAsIs() const noexcept { return describesReports_; }
    /// The sets, evaluated by the device for the calculator.
    Result<RawSets> evaluated(const RawSets& raw) const;
    /// Raw data in a form that the calculator reads without the device; they may be put into `storage`.
    Result<std::span<const std::byte>> portable(std::span<const std::byte> raw, std::vector<std::byte>& storage) const;

  private:
    Measurement(const device::Device& device, zetl_source_t source) : device_(device), source_(source) {}
    static Result<std::shared_ptr<const Measurement>> ofCounters(const device::Device& device, const GroupShape& shape);
    static Result<std::shared_ptr<const Measurement>> ofSamples(const device::Device& device, const GroupShape& shape);
    ze_result_t calculateBy(Descriptor descriptor);
    zetl_status_t plan();
    Result<std::vector<std::byte>> evaluate(std::span<const std::byte> set) const;
    Descriptor named(const GroupShape& shape) const;
    Descriptor describe(const GroupShape& shape, std::vector<Column> columns);
    void placeAsPlanned(Descriptor& descriptor, const std::vector<zetl_field_t>& fields,
                        const zetl_field_t& begin) const;
    void placeAsEvaluated(Descriptor& descriptor) const;

    const device::Device& device_;
    const zetl_source_t source_;
    bool describesReports_ = false;
    std::vector<const char*> counters_;  ///< the counters in the plan; the provider's names
    std::vector<bool> inDoubles_;        ///< how the device counts each of them
    std::vector<std::byte> plan_;
    zetl_plan_info_t info_{};
    std::unique_ptr<const Calculator> calculator_;
};

/// The clock of the source's reports: counters have one of their own, samples use the device's.
zetl_clock_kind_t clockKindOf(zetl_source_t source);
CounterClock clockOf(const device::Device& device, zetl_clock_kind_t kind);
/// The reasons in the device's samples, by number; none if it does not sample.
std::vector<const char*> sampledReasons(const device::Device& device);

/// The counters that a device can deliver to that source.
std::vector<const zetl_counter_info_t*> countersOf(const device::Device& device, zetl_source_t source);
/// Sets Column::modelled, and clears Column::error unless it is one of the counters.
void rateExactness(Column& column, const std::vector<const zetl_counter_info_t*>& counters);

}  // namespace zetl::metrics
