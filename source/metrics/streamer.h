// A metric streamer: a device's counter stream, read as our raw reports.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>

#include "base/handle_head.h"
#include "metrics/device_state.h"

namespace zetl::metrics {

/// Runs from open() to the end of its life. Thread-safe.
class Streamer : public RoutedObject<Streamer, zet_metric_streamer_handle_t> {
  public:
    /// Opens and starts the device's stream. Writes the period and report count that were granted back to `desc`.
    static Result<std::shared_ptr<Streamer>> open(DeviceState& state, std::shared_ptr<Group> group,
                                                  zet_metric_streamer_desc_t& desc, ze_event_handle_t notification);
    ~Streamer();

    const DeviceState& state() const noexcept { return state_; }
    ze_event_handle_t notification() const noexcept { return notification_; }

    /// How long at least until notifyEveryNReports reports wait to be read, or when to look again for being told within
    /// a fraction of the time that N reports take; 0: they wait.
    std::chrono::nanoseconds untilNotification() const;

    /// zetMetricStreamerReadData: *size 0 asks for the bytes of at most maxReports reports; otherwise takes whole
    /// reports, oldest first. WARNING_DROPPED_DATA if some were lost since the last read.
    ze_result_t read(std::uint32_t maxReports, std::size_t* size, std::uint8_t* target);

    ze_result_t mark(ze_command_list_handle_t list, std::uint32_t value);

  private:
    Streamer(DeviceState& state, std::shared_ptr<Group> group, ze_event_handle_t notification)
        : state_(state), group_(std::move(group)), notification_(notification) {}
    const zetl_stream_functions_t& functions() const noexcept { return state_.device().access().streams(); }
    zetl_status_t start(zet_metric_streamer_desc_t& desc);
    std::uint64_t waiting() const;
    ze_result_t take(std::uint64_t reports, std::size_t* size, std::uint8_t* target);

    DeviceState& state_;
    const std::shared_ptr<Group> group_;
    const ze_event_handle_t notification_;
    std::shared_ptr<const zetl_lease_t> lease_;
    zetl_stream_t stream_ = 0;
    std::uint64_t capacity_ = 0;
    std::uint64_t notifyAt_ = 0;
    std::chrono::nanoseconds period_{0};
    std::mutex reading_;
};

}  // namespace zetl::metrics
