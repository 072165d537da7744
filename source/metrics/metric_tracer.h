// A metric tracer: reports begins and ends of commands on a device as they happen.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/handle_head.h"
#include "base/mutex.h"
#include "metrics/group.h"
#include "metrics/trace_record.h"

namespace zetl::metrics {

/// The parts of a trace that can be decoded, and the number of tiles. Immutable: decoders outlive their tracers.
struct TraceContent {
    std::vector<std::shared_ptr<Metric>> metrics;
    std::uint32_t sets = 1;
    CounterClock clock;
};

/// Made disabled. Thread-safe.
class MetricTracer : public RoutedObject<MetricTracer, zet_metric_tracer_exp_handle_t> {
  public:
    /// The device reports each record, so `desc.notifyEveryNBytes` becomes the size of one; a size of the buffer that
    /// is asked for in the chain becomes that which there is. Returns UNSUPPORTED_FEATURE if the device does not report
    /// commands.
    static Result<std::shared_ptr<MetricTracer>> create(const device::Device& device, std::uint32_t tiles,
                                                        std::span<const std::shared_ptr<Group>> groups,
                                                        zet_metric_tracer_exp_desc_t& desc,
                                                        ze_event_handle_t notification);
    ~MetricTracer();
    MetricTracer(const MetricTracer&) = delete;
    MetricTracer& operator=(const MetricTracer&) = delete;

    const device::Device& device() const noexcept { return device_; }
    const std::shared_ptr<const TraceContent>& content() const noexcept { return content_; }
    bool enabled() const;
    /// Does nothing if it is already enabled. The change is complete when the call returns.
    ze_result_t enable();
    ze_result_t disable();
    /// Reads bytes in order, as many as fit. SUCCESS while it is enabled, or data remain; NOT_READY and 0 bytes
    /// otherwise; WARNING_DROPPED_DATA if some were lost before; INVALID_ARGUMENT if there is no room.
    ze_result_t read(std::size_t* size, std::uint8_t* target);

    ze_event_handle_t notification() const noexcept { return notification_; }
    /// Like Streamer::untilNotification().
    std::chrono::nanoseconds untilNotification() const;

  private:
    MetricTracer(const device::Device& device, ze_event_handle_t notification)
        : device_(device), notification_(notification) {}
    const zetl_command_functions_t& functions() const noexcept { return device_.access().commands(); }
    std::uint64_t now() const;
    bool decodes(TracedEvent event) const;
    void tell(TracedEvent event, std::uint64_t time, std::uint64_t value, std::uint32_t tile) ZETL_REQUIRES(mutex_);
    /// Takes the device's data for us. Returns false if some were lost.
    bool collect() ZETL_REQUIRES(mutex_);

    const device::Device& device_;
    const ze_event_handle_t notification_;
    std::shared_ptr<const TraceContent> content_;
    zetl_stream_t stream_ = 0;
    mutable Mutex mutex_;
    bool enabled_ ZETL_GUARDED_BY(mutex_) = false;
    std::uint64_t lost_ ZETL_GUARDED_BY(mutex_) = 0;
    std::vector<std::uint8_t> waiting_ ZETL_GUARDED_BY(mutex_);
};

}  // namespace zetl::metrics
