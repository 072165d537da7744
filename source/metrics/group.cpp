#include "metrics/group.h"

#include <algorithm>

#include "base/chain.h"
#include "device/status.h"
#include "metrics/fixed_text.h"
#include "ze_tools_layer/level_zero/intel_metrics.h"

namespace zetl::metrics {
namespace {

/// Identifies the hardware unit behind a group, by GroupSource; Intel's driver reports 1 and 2 for these.
constexpr std::uint32_t kSourceIds[] = {1, 2, 3, 4};

/// The shape with what every group has around the members.
GroupShape framed(const GroupShape& shape, const std::vector<std::shared_ptr<Metric>>& members) {
    const auto frame = groupFrame(shape.sampling);
    auto result = shape;
    result.columns = frame.first;
    for (const auto& member : members) result.columns.push_back(member->column());
    result.columns.insert(result.columns.end(), frame.last.begin(), frame.last.end());
    return result;
}

/// Counters are a chip's: a metric of one device may be measured on another of the same.
bool isOfChip(const device::Device& one, const device::Device& other) {
    return &one.access().devices() == &other.access().devices() &&
           std::string_view(one.info().chip) == other.info().chip;
}

/// The description of a measured column says what is modelled, so it is not compared.
bool isColumnOf(const Column& column, const Metric& metric) {
    return column.name == metric.column().name && column.equation == metric.column().equation;
}

}  // namespace

/// For a device that reports commands, and event memory if the group reads that.
Result<std::shared_ptr<Group>> Group::ofEvents(const device::Device& device, const GroupShape& shape) {
    constexpr zetl_stream_t kNoStream = 0;
    constexpr zetl_device_t kNoDevice = 0;
    const auto& access = device.access();
    if (access.commands().start(kNoStream) == ZETL_UNSUPPORTED ||
        (shape.source == GroupSource::eventMemory &&
         access.eventMemory().descriptor(kNoDevice, nullptr, nullptr) == ZETL_UNSUPPORTED))
        return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    auto group = std::make_shared<Group>(device, shape, false);
    group->content_.write([&](GroupContent& content) {
        for (const auto& column : shape.columns)
            content.metrics.push_back(std::make_shared<Metric>(device, column, false));
        content.open = false;
    });
    return group;
}

Result<std::shared_ptr<Group>> Group::predefined(const device::Device& device, const GroupShape& shape) {
    if (shape.source == GroupSource::events || shape.source == GroupSource::eventMemory) return ofEvents(device, shape);
    auto measurement = Measurement::make(device, shape);
    if (!measurement) return measurement.code();
    auto group = std::make_shared<Group>(device, shape, false);
    group->content_.write([&](GroupContent& content) {
        for (const auto& column : (*measurement)->descriptor().columns)
            content.metrics.push_back(std::make_shared<Metric>(device, column, false));
        content.measurement = std::move(*measurement);
        content.open = false;
    });
    return group;
}

ze_result_t Group::add(std::shared_ptr<Metric> metric, std::string& why) {
    if (!metric->userMade()) why = "only metrics made from programmables can be added";
    if (!isOfChip(metric->device(), device_)) why = "the metric belongs to another kind of device";
    if (!why.empty()) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    content_.write([&](GroupContent& content) {
        if (std::ranges::find(content.members, metric) != content.members.end()) return;
        content.members.push_back(std::move(metric));
        open(content);
    });
    return ZE_RESULT_SUCCESS;
}

ze_result_t Group::remove(const Metric& metric) {
    return content_.write([&](GroupContent& content) {
        const auto removed = std::erase_if(content.members, [&](const auto& each) { return each.get() == &metric; });
        if (removed == 0) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
        open(content);
        return ZE_RESULT_SUCCESS;
    });
}

void Group::open(GroupContent& content) {
    content.metrics = content.members;
    content.measurement = nullptr;
    content.open = true;
}

ze_result_t Group::close() {
    return content_.write([&](GroupContent& content) {
        if (content.measurement) return ZE_RESULT_SUCCESS;
        if (content.members.empty()) return ZE_RESULT_NOT_READY;
        auto shape = framed(shape_, content.members);
        auto measurement = Measurement::make(device_, shape);
        if (!measurement) return measurement.code();
        content.measurement = std::move(*measurement);
        content.open = false;
        content.metrics.clear();
        auto member = content.members.begin();
        for (const auto& column : content.measurement->descriptor().columns) {
            const bool own = member != content.members.end() && isColumnOf(column, **member);
            content.metrics.push_back(own ? *member++ : std::make_shared<Metric>(device_, column, false));
        }
        return ZE_RESULT_SUCCESS;
    });
}

zetl_source_t Group::source() const noexcept {
    if (shape_.source == GroupSource::instructionSampling) return ZETL_SOURCE_SAMPLING;
    return timeBased() ? ZETL_SOURCE_STREAM : ZETL_SOURCE_QUERY;
}

zetl_clock_kind_t Group::clockKind() const noexcept { return traced() ? ZETL_CLOCK_DEVICE : clockKindOf(source()); }

CounterClock Group::clock() const { return clockOf(device_, clockKind()); }

bool Group::contains(const Metric& metric) const {
    return content_.read([&](const GroupContent& content) {
        return std::ranges::any_of(content.members, [&](const auto& each) { return each.get() == &metric; });
    });
}

bool Group::lists(const Metric& metric) const {
    return content_.read([&](const GroupContent& content) {
        return std::ranges::any_of(content.metrics, [&](const auto& each) { return each.get() == &metric; });
    });
}

GroupContent Group::content() const {
    return content_.read([](const GroupContent& content) { return content; });
}

zet_metric_group_type_exp_flags_t Group::kind() const noexcept {
    if (exportsMemory()) return ZET_METRIC_GROUP_TYPE_EXP_FLAG_EXPORT_DMA_BUF;
    const auto origin = userMade_ ? ZET_METRIC_GROUP_TYPE_EXP_FLAG_USER_CREATED : ZET_METRIC_GROUP_TYPE_EXP_FLAG_OTHER;
    return origin | (marks() ? ZET_METRIC_GROUP_TYPE_EXP_FLAG_MARKER : 0);
}

void Group::fillExport(zet_export_dma_buf_exp_properties_t& properties) const {
    std::uint64_t bytes = 0;
    const auto status = device_.access().eventMemory().descriptor(device_.id(), &properties.fd, &bytes);
    properties.size = bytes;
    if (status == ZETL_OK) return;
    properties.fd = -1;
    log::warn(log::Channel::metrics, "{} of {} exports no memory: {}", name(), device_.info().name,
              device::nameOf(status));
}

void Group::fill(zet_metric_group_properties_t& properties) const {
    const auto now = content();
    copyText(properties.name, shape_.name);
    copyText(properties.description, shape_.description);
    properties.samplingType = shape_.sampling;
    properties.domain = shape_.domain;
    properties.metricCount = static_cast<std::uint32_t>(now.metrics.size());
    const ChainReader reader{"zetMetricGroupGetProperties", log::Channel::metrics};
    forEachLink(properties.pNext, reader, [this](ChainLink& link) {
        const auto type = static_cast<std::uint32_t>(link.stype);
        if (type == ZET_STRUCTURE_TYPE_METRIC_GLOBAL_TIMESTAMPS_RESOLUTION_EXP) {
            auto& resolution = reinterpret_cast<zet_metric_global_timestamps_resolution_exp_t&>(link);
            const auto ticks = clock();
            resolution.timerResolution = ticks.ticksPerSecond;
            resolution.timestampValidBits = ticks.validBits;
        } else if (type == ZET_STRUCTURE_TYPE_METRIC_SOURCE_ID_EXP) {
            reinterpret_cast<zet_metric_source_id_exp_t&>(link).sourceId =
                kSourceIds[static_cast<std::size_t>(shape_.source)];
        } else if (type == ZET_STRUCTURE_TYPE_METRIC_GROUP_TYPE_EXP) {
            reinterpret_cast<zet_metric_group_type_exp_t&>(link).type = kind();
        } else if (type == ZET_STRUCTURE_TYPE_EXPORT_DMA_EXP_PROPERTIES && exportsMemory()) {
            fillExport(reinterpret_cast<zet_export_dma_buf_exp_properties_t&>(link));
        } else if (type == ZET_INTEL_STRUCTURE_TYPE_METRIC_GROUP_CALCULATION_EXP_PROPERTIES) {
            reinterpret_cast<zet_intel_metric_group_calculation_properties_exp_t&>(link).isTimeFilterSupported =
                !traced() && source() == ZETL_SOURCE_STREAM;
        } else {
            return false;
        }
        return true;
    });
}

}  // namespace zetl::metrics
