// A metric streamer: one stream of counters or of samples per tile of a device, read as our raw reports.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>

#include "base/handle_head.h"
#include "base/mutex.h"
#include "metrics/report_source.h"

namespace zetl::metrics {

/// Runs from open() to the end of its life. Thread-safe.
class Streamer : public RoutedObject<Streamer, zet_metric_streamer_handle_t> {
  public:
    /// Opens and starts a stream on each of the devices: one, or the tiles of one. Writes the granted period, report
    /// count and buffer's size back to `desc`. With a notification a buffer's size cannot be asked for.
    static Result<std::shared_ptr<Streamer>> open(const std::vector<DeviceState*>& tiles,
                                                  std::shared_ptr<const Measurement> measured,
                                                  zet_metric_streamer_desc_t& desc, ze_event_handle_t notification);

    /// True if it streams that device, or a tile of it.
    bool samples(const device::Device& device) const noexcept;
    zetl_source_t source() const noexcept { return measured_->source(); }
    ze_event_handle_t notification() const noexcept { return notification_; }

    /// The shortest time until notifyEveryNReports reports wait to be read, or until it has to be asked again so that
    /// the delay is a fraction of the time that N reports take; 0: they wait.
    std::chrono::nanoseconds untilNotification() const;

    /// zetMetricStreamerReadData; for several tiles, with a head in front of each tile's reports
    /// (metrics/calculation/raw_sets.h). *size 0 asks for the size of at most maxReports reports; otherwise takes whole
    /// reports, oldest first. WARNING_DROPPED_DATA if some were lost since the last read.
    ze_result_t read(std::uint32_t maxReports, std::size_t* size, std::uint8_t* target);

    ze_result_t mark(ze_command_list_handle_t list, std::uint32_t value);

  private:
    Streamer(std::shared_ptr<const Measurement> measured, ze_event_handle_t notification)
        : measured_(std::move(measured)), notification_(notification) {}
    ze_result_t add(DeviceState& state, zet_metric_streamer_desc_t& desc, std::uint64_t capacity);
    std::size_t headBytes() const noexcept;
    ze_result_t takeAll(std::uint64_t reports, std::size_t* size, std::uint8_t* target) ZETL_REQUIRES(reading_);

    const std::shared_ptr<const Measurement> measured_;
    std::vector<std::unique_ptr<ReportSource>> tiles_;
    const ze_event_handle_t notification_;
    std::uint64_t capacity_ = 0;
    std::uint64_t notifyAt_ = 0;
    std::chrono::nanoseconds period_{0};
    Mutex reading_;  ///< one reader at a time takes from all tiles
};

}  // namespace zetl::metrics
