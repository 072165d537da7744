#include "metrics/calculation.h"

#include <cstring>

#include "base/log.h"
#include "device/status.h"
#include "metrics/counter_clock.h"
#include "metrics/report.h"

namespace zetl::metrics {
namespace {

/// ReportReason as Intel numbers it.
constexpr std::uint64_t kTimerReason = 1;
constexpr std::uint64_t kMarkerReason = 64;
constexpr double kPercent = 100.0;

/// The raw buffer taken apart into what the device understands and what travels beside it.
struct Reports {
    std::vector<ReportHead> heads;
    std::vector<std::uint64_t> times;
    std::vector<std::byte> bytes;
};

Reports split(const Group& group, std::span<const std::byte> raw) {
    const auto reportBytes = group.reportBytes();
    const auto count = raw.size() / reportBytes;
    Reports reports;
    reports.heads.resize(count);
    reports.times.resize(count);
    reports.bytes.resize(count * group.deviceReportBytes());
    for (std::size_t i = 0; i < count; ++i) {
        const auto* report = raw.data() + i * reportBytes;
        std::memcpy(&reports.heads[i], report, sizeof(ReportHead));
        std::memcpy(reports.bytes.data() + i * group.deviceReportBytes(), report + sizeof(ReportHead),
                    group.deviceReportBytes());
        reports.times[i] = reports.heads[i].time;
    }
    return reports;
}

/// A counter's value, whichever way the device counts it.
struct Quantity {
    zetl_value_t value{};
    zetl_value_type_t type = ZETL_VALUE_UINT64;

    double real() const { return type == ZETL_VALUE_FLOAT64 ? value.f64 : static_cast<double>(value.u64); }
    /// Rounded, and within what 64 bits hold; not a number is 0.
    std::uint64_t whole() const {
        constexpr double kBeyond = 18446744073709551616.0;
        if (type != ZETL_VALUE_FLOAT64) return value.u64;
        if (!(value.f64 > 0)) return 0;
        return value.f64 >= kBeyond ? UINT64_MAX : static_cast<std::uint64_t>(value.f64 + 0.5);
    }
};

/// One evaluated interval, with everything a formula can name.
class Interval {
  public:
    Interval(const Group& group, const zetl_row_t& row, const ReportHead& head, const zetl_value_t* values,
             const CounterClock& clock)
        : group_(group), row_(row), head_(head), values_(values), clock_(clock) {}

    zet_typed_value_t value(const Metric& metric, zet_metric_group_calculation_type_t type) const {
        const bool maximum = type == ZET_METRIC_GROUP_CALCULATION_TYPE_MAX_METRIC_VALUES;
        const auto& column = metric.column();
        zet_typed_value_t result{};
        result.type = metric.value();
        if (result.type == ZET_VALUE_TYPE_FLOAT64)
            result.value.fp64 = counter(column.counter).real();
        else if (result.type == ZET_VALUE_TYPE_FLOAT32)
            result.value.fp32 = static_cast<float>(maximum ? kPercent : percent(column));
        else
            result.value.ui64 = whole(column);
        return result;
    }

  private:
    Quantity counter(const char* name) const {
        const auto& names = group_.counters();
        for (std::size_t i = 0; i < names.size(); ++i)
            if (std::strcmp(names[i], name) == 0) return {values_[i], group_.valueTypes()[i]};
        return {};
    }
    std::uint64_t length() const { return clock_.nanoseconds(clock_.elapsed(row_.begin, row_.end)); }
    std::uint64_t whole(const Column& column) const {
        switch (column.formula) {
            case Formula::nanoseconds:
                return length();
            case Formula::megahertz: {
                const auto time = length();
                return time == 0 ? 0 : counter(column.counter).whole() * 1000 / time;
            }
            case Formula::endTime:
                return clock_.nanoseconds(row_.end);
            case Formula::beginTime:
                return clock_.nanoseconds(row_.begin);
            case Formula::reason:
                return head_.reason == ZETL_REPORT_MARKER ? kMarkerReason : kTimerReason;
            case Formula::marker:
                return head_.reason == ZETL_REPORT_MARKER ? head_.marker : 0;
            case Formula::interpolated:
                return head_.reason == ZETL_REPORT_INTERPOLATED ? 1 : 0;
            default:
                return counter(column.counter).whole();
        }
    }
    double percent(const Column& column) const {
        const auto& info = group_.device().info();
        double capacity = counter(kClocks).real() * static_cast<double>(group_.device().engines());
        if (column.formula == Formula::percentOfThreads && info.level_count > 0)
            capacity *= info.levels[info.level_count - 1].count;
        if (capacity == 0) return 0;
        double part = counter(column.counter).real();
        if (column.formula == Formula::differenceOfEngines) part -= counter(column.lesser).real();
        return std::min(kPercent, std::max(0.0, kPercent * part / capacity));
    }

    const Group& group_;
    const zetl_row_t& row_;
    const ReportHead& head_;
    const zetl_value_t* values_;
    const CounterClock& clock_;
};

zetl_raw_t describe(const Group& group, const Reports& reports) {
    zetl_raw_t raw{};
    raw.size = sizeof raw;
    raw.source = group.source();
    raw.chip = group.device().info().chip;
    raw.plan = group.plan().data();
    raw.plan_bytes = group.plan().size();
    raw.reports = reports.bytes.data();
    raw.count = reports.heads.size();
    raw.times = reports.times.data();
    return raw;
}

}  // namespace

Result<std::uint64_t> announcedValues(const Group& group, std::uint64_t rawBytes) {
    if (rawBytes == 0) return ZE_RESULT_NOT_READY;
    if (rawBytes % group.reportBytes() != 0) {
        log::warn(log::Module::metrics, "calculation for {}: {} raw bytes are no multiple of its report of {} bytes",
                  group.name(), rawBytes, group.reportBytes());
        return ZE_RESULT_ERROR_INVALID_SIZE;
    }
    return rawBytes / group.reportBytes() * group.metrics().size();
}

Result<std::vector<zet_typed_value_t>> calculate(const Group& group, zet_metric_group_calculation_type_t type,
                                                 std::span<const std::byte> raw) {
    if (const auto announced = announcedValues(group, raw.size()); !announced) return announced.code();
    const auto reports = split(group, raw);
    const auto described = describe(group, reports);
    const auto& counters = group.device().access().counters();
    const auto names = static_cast<std::uint32_t>(group.counters().size());
    std::vector<zetl_row_t> rows(reports.heads.size());
    std::vector<zetl_value_t> values(rows.size() * names);
    std::uint64_t count = 0;
    if (const auto status = counters.evaluate(&described, names, group.counters().data(), rows.size(), rows.data(),
                                              values.data(), &count);
        status != ZETL_OK)
        return device::resultOf(status);
    const auto clock = CounterClock::of(group.device());
    std::vector<zet_typed_value_t> result;
    result.reserve(count * group.metrics().size());
    for (std::uint64_t i = 0; i < std::min<std::uint64_t>(count, rows.size()); ++i) {
        const auto last = std::min<std::uint64_t>(rows[i].last_report, reports.heads.size() - 1);
        const Interval interval(group, rows[i], reports.heads[last], values.data() + i * names, clock);
        for (const auto& metric : group.metrics()) result.push_back(interval.value(*metric, type));
    }
    return result;
}

}  // namespace zetl::metrics
