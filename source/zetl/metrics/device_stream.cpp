#include "metrics/device_stream.h"

#include <fmt/format.h>

#include <algorithm>

#include "text/result_name.h"
#include "text/spelling.h"
#include "text/typed_value.h"

namespace zetl::command {
namespace {

constexpr std::uint32_t kNotify = 32768;  // no one waits for the notification

void require(ze_result_t result, const char* function) {
    if (result != ZE_RESULT_SUCCESS)
        throw std::runtime_error(
            fmt::format("{} returns {} (set ZETL_LOG=metrics=warn to see why)", function, resultName(result)));
}

/// Times, flags and markers describe a report; they are not counts.
bool isPlotted(const zet_metric_properties_t& metric) {
    static constexpr std::string_view kMarks[] = {"ReportReason", "StreamMarker", "GpuTime"};
    return metric.metricType != ZET_METRIC_TYPE_TIMESTAMP && metric.metricType != ZET_METRIC_TYPE_FLAG &&
           metric.metricType != ZET_METRIC_TYPE_RAW && std::ranges::find(kMarks, metric.name) == std::end(kMarks);
}

}  // namespace

DeviceStream::DeviceStream(const Functions& functions, ze_driver_handle_t driver, ze_device_handle_t device,
                           const std::string& group, std::uint32_t period)
    : functions_(functions), device_(device) {
    ze_device_properties_t properties{};
    properties.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2;  // ticks a second
    require(CALL(zeDeviceGetProperties)(device, &properties), "zeDeviceGetProperties");
    deviceTicks_ = static_cast<double>(properties.timerResolution);
    findGroup(group);
    readColumns();
    open(driver, period);
}

void DeviceStream::findGroup(const std::string& name) {
    const auto& functions = functions_;
    std::vector<std::string> known;
    for (auto* const each : handles<zet_metric_group_handle_t>(CALL(zetMetricGroupGet), device_)) {
        zet_metric_global_timestamps_resolution_exp_t resolution{};
        resolution.stype = ZET_STRUCTURE_TYPE_METRIC_GLOBAL_TIMESTAMPS_RESOLUTION_EXP;
        zet_metric_group_properties_t properties{};
        properties.stype = ZET_STRUCTURE_TYPE_METRIC_GROUP_PROPERTIES;
        properties.pNext = &resolution;
        if (CALL(zetMetricGroupGetProperties)(each, &properties) != ZE_RESULT_SUCCESS ||
            !(properties.samplingType & ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_TIME_BASED))
            continue;
        known.emplace_back(properties.name);
        if (name != properties.name) continue;
        group_ = each;
        reportTicks_ = static_cast<double>(resolution.timerResolution);
        clock_ = ReportClock(reportTicks_, resolution.timestampValidBits);
    }
    if (!group_)
        throw NoSuchGroup(fmt::format("there is no time-based metric group {}{}", name, alternatives(name, known)));
}

void DeviceStream::readColumns() {
    const auto& functions = functions_;
    for (auto* const metric : handles<zet_metric_handle_t>(CALL(zetMetricGet), group_)) {
        zet_metric_properties_t properties{};
        properties.stype = ZET_STRUCTURE_TYPE_METRIC_PROPERTIES;
        require(CALL(zetMetricGetProperties)(metric, &properties), "zetMetricGetProperties");
        const std::string name = properties.name;
        if (name == "QueryBeginTime") columns_.time = columns_.all.size();
        if (name == "ReportInterpolated") columns_.interpolated = columns_.all.size();
        columns_.all.push_back({name, properties.resultUnits, isPlotted(properties), properties.component});
    }
    if (columns_.time == SIZE_MAX)
        throw NoSuchGroup("the reports of this metric group have no time; `zetl stalls` shows samples");
}

void DeviceStream::Close::operator()(zet_metric_streamer_handle_t streamer) const {
    const auto& functions = *loader;
    CALL(zetMetricStreamerClose)(streamer);
}

void DeviceStream::open(ze_driver_handle_t driver, std::uint32_t period) {
    const auto& functions = functions_;
    const ze_context_desc_t contextDescription{ZE_STRUCTURE_TYPE_CONTEXT_DESC, nullptr, 0};
    ze_context_handle_t context = nullptr;
    require(CALL(zeContextCreate)(driver, &contextDescription, &context), "zeContextCreate");
    require(CALL(zetContextActivateMetricGroups)(context, device_, 1, &group_), "zetContextActivateMetricGroups");
    zet_metric_streamer_desc_t description{ZET_STRUCTURE_TYPE_METRIC_STREAMER_DESC, nullptr, kNotify, period};
    zet_metric_streamer_handle_t streamer = nullptr;
    require(CALL(zetMetricStreamerOpen)(context, device_, group_, &description, nullptr, &streamer),
            "zetMetricStreamerOpen");
    streamer_ = Streamer(streamer, Close{&functions_});
    period_ = std::chrono::nanoseconds(description.samplingPeriod);
}

std::vector<CounterSource> DeviceStream::sources() const {
    const auto& functions = functions_;
    ze_device_properties_t properties{};
    properties.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
    CALL(zeDeviceGetProperties)(device_, &properties);
    const auto tiles = handles<ze_device_handle_t>(CALL(zeDeviceGetSubDevices), device_).size();
    std::vector<CounterSource> all;
    for (std::uint32_t tile = 0; tile < std::max<std::size_t>(tiles, 1); ++tile)
        all.push_back({properties.name, tile, columns_.all});
    return all;
}

std::vector<std::uint8_t> DeviceStream::reports() {
    const auto& functions = functions_;
    const auto read = CALL(zetMetricStreamerReadData);
    std::size_t size = 0;
    require(read(streamer_.get(), UINT32_MAX, &size, nullptr), "zetMetricStreamerReadData");
    std::vector<std::uint8_t> raw(size);
    if (size == 0) return raw;
    // Lost reports show as gaps in the times of the reports.
    const auto result = read(streamer_.get(), UINT32_MAX, &size, raw.data());
    if (result != ZE_RESULT_WARNING_DROPPED_DATA) require(result, "zetMetricStreamerReadData");
    raw.resize(size);
    return raw;
}

DeviceStream::Values DeviceStream::calculated(const std::vector<std::uint8_t>& raw) const {
    const auto& functions = functions_;
    const auto calculate = CALL(zetMetricGroupCalculateMultipleMetricValuesExp);
    constexpr auto kType = ZET_METRIC_GROUP_CALCULATION_TYPE_METRIC_VALUES;
    if (!calculate) throw std::runtime_error("the loader is too old to calculate metrics of several tiles");
    std::uint32_t sets = 0;
    std::uint32_t count = 0;
    Values values;
    const auto call = [&] {
        const auto result = calculate(group_, kType, raw.size(), raw.data(), &sets, &count,
                                      values.counts.empty() ? nullptr : values.counts.data(),
                                      values.all.empty() ? nullptr : values.all.data());
        if (result != ZE_RESULT_WARNING_DROPPED_DATA) require(result, "zetMetricGroupCalculateMultipleMetricValuesExp");
    };
    call();
    if (count == 0) return values;
    values.counts.resize(sets);
    values.all.resize(count);
    call();
    return values;
}

/// Loaders before 1.9 do not know the clock of metrics.
void DeviceStream::correlate() {
    const auto& functions = functions_;
    std::uint64_t host = 0;
    std::uint64_t ticks = 0;
    if (const auto ofMetrics = CALL(zetMetricGroupGetGlobalTimestampsExp);
        ofMetrics && ofMetrics(group_, 1, &host, &ticks) == ZE_RESULT_SUCCESS)
        return clock_.correlate(host, ticks, reportTicks_);
    require(CALL(zeDeviceGetGlobalTimestamps)(device_, &host, &ticks), "zeDeviceGetGlobalTimestamps");
    clock_.correlate(host, ticks, deviceTicks_);
}

void DeviceStream::read(CounterWriter& writer, std::uint32_t firstSource) {
    auto raw = reports();
    if (raw.empty()) return;
    correlate();
    former_.insert(former_.end(), raw.begin(), raw.end());
    const auto values = calculated(former_);
    const auto* first = values.all.data();
    for (std::uint32_t tile = 0; tile < values.counts.size(); ++tile) {
        writeTile(first, values.counts[tile] / columns_.all.size(), tile, writer, firstSource + tile);
        first += values.counts[tile];
    }
    former_ = std::move(raw);
}

void DeviceStream::writeTile(const zet_typed_value_t* values, std::size_t rows, std::uint32_t tile,
                             CounterWriter& writer, std::uint32_t source) {
    const auto width = columns_.all.size();
    const auto timeOf = [&](std::size_t row) { return values[row * width + columns_.time].value.ui64; };
    std::size_t row = 0;
    // The rows of the previous read were calculated again; they are already written.
    if (const auto written = last_.find(tile); written != last_.end())
        for (std::size_t i = 0; i < rows; ++i)
            if (timeOf(i) == written->second) row = i + 1;
    for (; row < rows; ++row) {
        const auto* const cells = values + row * width;
        CounterRow made{clock_.hostTime(timeOf(row)), source, 0, 0, {}};
        if (columns_.interpolated != SIZE_MAX) made.interpolated = numberOf(cells[columns_.interpolated]) != 0 ? 1 : 0;
        if (const auto before = lastOnHost_.find(tile); before != lastOnHost_.end() && made.time > before->second) {
            const auto periods =
                static_cast<std::uint64_t>((made.time - before->second + period_.count() / 2) / period_.count());
            made.lost = periods > 1 ? periods - 1 : 0;
        }
        for (std::size_t i = 0; i < width; ++i) made.values.push_back(numberOf(cells[i]));
        writer.write(made);
        last_[tile] = timeOf(row);
        lastOnHost_[tile] = made.time;
    }
}

}  // namespace zetl::command
