// The source of the reports that a streamer reads: one stream of one tile.
#pragma once

#include <chrono>
#include <memory>
#include <utility>

#include "base/result.h"
#include "metrics/device_state.h"

namespace zetl::metrics {

/// The requested properties of a stream, and those that were granted.
struct StreamTerms {
    std::chrono::nanoseconds period{0};
    std::uint64_t capacity = 0;    ///< reports that can wait to be read; asked for as 0: as many as there can be
    std::uint64_t mostNotify = 0;  ///< the largest number of waiting reports that can trigger a notification
};

/// Runs from its start to the end of its life. Thread-safe, except for take().
class ReportSource {
  public:
    /// `measured` must outlive the source.
    ReportSource(const device::Device& device, const Measurement& measured, std::shared_ptr<const zetl_lease_t> lease)
        : measured_(measured), lease_(std::move(lease)), device_(device) {}
    virtual ~ReportSource() = default;
    ReportSource(const ReportSource&) = delete;
    ReportSource& operator=(const ReportSource&) = delete;

    /// Call it once, before anything else. Returns the device's status if it refuses: only destroy it then.
    virtual zetl_status_t start(const StreamTerms& asked) = 0;

    const device::Device& device() const noexcept { return device_; }
    const StreamTerms& terms() const noexcept { return terms_; }

    /// The number of reports that wait; UINT64_MAX if it is not known.
    virtual std::uint64_t pending() const = 0;
    /// Takes at most `reports` whole reports, oldest first, and sets their size. WARNING_DROPPED_DATA if some were lost
    /// before.
    virtual ze_result_t take(std::uint64_t reports, std::size_t* size, std::uint8_t* target) = 0;
    /// UNSUPPORTED_FEATURE if reports have no markers.
    virtual ze_result_t mark(ze_command_list_handle_t list, std::uint32_t value) = 0;

  protected:
    const Measurement& measured_;
    const std::shared_ptr<const zetl_lease_t> lease_;
    zetl_stream_t stream_ = 0;
    StreamTerms terms_;

  private:
    const device::Device& device_;
};

/// A stream of that tile for the measurement: of counters, or of samples. NOT_AVAILABLE if another user has it.
Result<std::unique_ptr<ReportSource>> openReports(DeviceState& tile, const Measurement& measured,
                                                  const StreamTerms& asked);

}  // namespace zetl::metrics
