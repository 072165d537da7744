#include "metrics/metric_tracer.h"

#include <algorithm>
#include <cstring>

#include "base/log.h"
#include "device/status.h"
#include "metrics/buffer_size.h"

namespace zetl::metrics {
namespace {

/// Two MiB of records, about: what waits at the device and has not been read. Programs can ask for less.
constexpr std::uint64_t kRecords = 65536;
constexpr std::chrono::milliseconds kLook{1};

std::optional<TracedEvent> eventOf(const zetl_command_record_t& record) {
    switch (record.kind) {
        case ZETL_COMMAND_KERNEL:
            return record.end ? TracedEvent::kernelEnd : TracedEvent::kernelBegin;
        case ZETL_COMMAND_COPY:
            return record.end ? TracedEvent::copyEnd : TracedEvent::copyBegin;
        case ZETL_COMMAND_BARRIER:
            return record.end ? TracedEvent::barrierEnd : TracedEvent::barrierBegin;
        case ZETL_COMMAND_WORD:
            return TracedEvent::softwareEvent;
        default:
            return std::nullopt;
    }
}

}  // namespace

Result<std::shared_ptr<MetricTracer>> MetricTracer::create(const device::Device& device, std::uint32_t tiles,
                                                           std::span<const std::shared_ptr<Group>> groups,
                                                           zet_metric_tracer_exp_desc_t& desc,
                                                           ze_event_handle_t notification) {
    std::shared_ptr<MetricTracer> tracer(new MetricTracer(device, notification));
    TraceContent content{.metrics = {}, .sets = tiles, .clock = clockOf(device, ZETL_CLOCK_DEVICE)};
    for (const auto& group : groups)
        for (const auto& metric : group->content().metrics)
            if (std::ranges::find(content.metrics, metric) == content.metrics.end()) content.metrics.push_back(metric);
    tracer->content_ = std::make_shared<const TraceContent>(std::move(content));
    auto* const buffer = bufferSizeIn(desc.pNext, "zetMetricTracerCreateExp");
    auto capacity = kRecords;
    if (buffer && buffer->sizeInBytes > 0 && !notification)
        capacity = std::clamp<std::uint64_t>(buffer->sizeInBytes / sizeof(TraceRecord), 1, kRecords);
    if (const auto status = tracer->functions().open(device.id(), &capacity, &tracer->stream_); status != ZETL_OK) {
        log::warn(log::Channel::metrics, "tracer on {} cannot be created: {}", device.info().name,
                  device::nameOf(status));
        return device::resultOf(status);
    }
    desc.notifyEveryNBytes = sizeof(TraceRecord);
    if (buffer) buffer->sizeInBytes = capacity * sizeof(TraceRecord);
    return tracer;
}

MetricTracer::~MetricTracer() {
    if (stream_ != 0) functions().close(stream_);
}

bool MetricTracer::enabled() const {
    const Lock guard(mutex_);
    return enabled_;
}

std::uint64_t MetricTracer::now() const {
    zetl_clock_pair_t pair{};
    pair.size = sizeof pair;
    const auto status = device_.access().clocks().snapshot(device_.id(), ZETL_CLOCK_DEVICE, ZETL_CLOCK_DEVICE, &pair);
    return status == ZETL_OK ? pair.ticks_a : 0;
}

ze_result_t MetricTracer::enable() {
    const Lock guard(mutex_);
    if (enabled_) return ZE_RESULT_SUCCESS;
    if (const auto status = functions().start(stream_); status != ZETL_OK) return device::resultOf(status);
    enabled_ = true;
    tell(TracedEvent::traceBegin, now(), 0, 0);
    return ZE_RESULT_SUCCESS;
}

ze_result_t MetricTracer::disable() {
    const Lock guard(mutex_);
    if (!enabled_) return ZE_RESULT_SUCCESS;
    if (const auto status = functions().stop(stream_); status != ZETL_OK) return device::resultOf(status);
    enabled_ = false;
    collect();
    tell(TracedEvent::traceEnd, now(), lost_, 0);
    return ZE_RESULT_SUCCESS;
}

bool MetricTracer::decodes(TracedEvent event) const {
    return std::ranges::any_of(content_->metrics,
                               [&](const auto& metric) { return metric->column().name == nameOf(event); });
}

void MetricTracer::tell(TracedEvent event, std::uint64_t time, std::uint64_t value, std::uint32_t tile) {
    if (!decodes(event)) return;
    const TraceRecord record{.event = static_cast<std::uint32_t>(event),
                             .tile = tile,
                             .tiled = content_->sets > 1,
                             .time = time,
                             .value = value};
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(&record);
    waiting_.insert(waiting_.end(), bytes, bytes + sizeof record);
}

bool MetricTracer::collect() {
    std::uint64_t count = 0;
    if (functions().pending(stream_, &count) != ZETL_OK || count == 0) return true;
    std::vector<zetl_command_record_t> records(count);
    zetl_loss_t loss{};
    loss.size = sizeof loss;
    if (functions().drain(stream_, count, records.data(), &count, &loss) != ZETL_OK) return true;
    records.resize(std::min<std::uint64_t>(count, records.size()));
    for (const auto& record : records) {
        const auto tile = content_->sets > 1 ? record.parent_index : 0;
        if (const auto event = eventOf(record); event && tile < content_->sets)
            tell(*event, record.time, event == TracedEvent::softwareEvent ? record.word : record.command, tile);
    }
    if (loss.kind == ZETL_LOSS_NONE) return true;
    lost_ += loss.reports;
    log::warn(log::Channel::metrics, "tracer on {} lost {} records: read more often", device_.info().name,
              loss.reports);
    return false;
}

ze_result_t MetricTracer::read(std::size_t* size, std::uint8_t* target) {
    if (*size == 0) {
        log::warn(log::Channel::metrics, "zetMetricTracerReadDataExp refused: it cannot be asked for a size");
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    if (!target) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    const Lock guard(mutex_);
    // What a reader that comes too rarely has not taken waits at the device, which keeps a bounded number.
    bool complete = true;
    if (waiting_.size() < *size && enabled_) complete = collect();
    *size = std::min(*size, waiting_.size());
    std::copy_n(waiting_.begin(), *size, target);
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(*size));
    if (*size == 0 && !enabled_) return ZE_RESULT_NOT_READY;
    return complete ? ZE_RESULT_SUCCESS : ZE_RESULT_WARNING_DROPPED_DATA;
}

std::chrono::nanoseconds MetricTracer::untilNotification() const {
    const Lock guard(mutex_);
    if (!waiting_.empty()) return std::chrono::nanoseconds(0);
    std::uint64_t count = 0;
    const bool some = enabled_ && functions().pending(stream_, &count) == ZETL_OK && count > 0;
    return some ? std::chrono::nanoseconds(0) : kLook;
}

}  // namespace zetl::metrics
