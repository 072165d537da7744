// The streamer of one device: reports in, rows on the host's clock out.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "metrics/loader_calls.h"
#include "metrics/report_clock.h"
#include "recording/counters.h"

namespace zetl::command {

/// The device has no such group.
struct NoSuchGroup : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Used by one thread, in the process that reads counters.
class DeviceStream {
  public:
    /// Throws NoSuchGroup, or std::runtime_error with the device's answer.
    DeviceStream(const Functions& functions, ze_driver_handle_t driver, ze_device_handle_t device,
                 const std::string& group, std::uint32_t period);

    /// One per tile.
    std::vector<CounterSource> sources() const;
    /// The period that the device granted.
    std::chrono::nanoseconds period() const { return period_; }

    /// Writes a row for each report since the last reading. The first of its sources has that number.
    void read(CounterWriter& writer, std::uint32_t firstSource);

  private:
    /// Closed with its owner: the process ends by _exit(), where the driver removes no socket.
    struct Close {
        const Functions* loader;
        void operator()(zet_metric_streamer_handle_t streamer) const;
    };
    using Streamer = std::unique_ptr<std::remove_pointer_t<zet_metric_streamer_handle_t>, Close>;

    struct Columns {
        std::vector<CounterColumn> all;
        std::size_t time = SIZE_MAX;
        std::size_t interpolated = SIZE_MAX;
    };
    struct Values {
        std::vector<std::uint32_t> counts;
        std::vector<zet_typed_value_t> all;
    };

    void findGroup(const std::string& name);
    void readColumns();
    void open(ze_driver_handle_t driver, std::uint32_t period);
    void correlate();
    std::vector<std::uint8_t> reports();
    Values calculated(const std::vector<std::uint8_t>& raw) const;
    void writeTile(const zet_typed_value_t* values, std::size_t rows, std::uint32_t tile, CounterWriter& writer,
                   std::uint32_t source);

    const Functions& functions_;
    ze_device_handle_t device_;
    zet_metric_group_handle_t group_ = nullptr;
    Streamer streamer_;
    ReportClock clock_{0, 0};
    double reportTicks_ = 0;  ///< per second
    double deviceTicks_ = 0;
    std::chrono::nanoseconds period_{};
    Columns columns_;
    std::vector<std::uint8_t> former_;             ///< the previous read; the next counts begin at its last report
    std::map<std::uint32_t, std::uint64_t> last_;  ///< device time of the last written row, by tile
    std::map<std::uint32_t, std::uint64_t> lastOnHost_;
};

}  // namespace zetl::command
