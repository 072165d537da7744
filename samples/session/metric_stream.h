// A streamer of one metric group, from its activation to its end (Tools Programming Guide, "Metric Streamer").
#pragma once

#include <cstdint>

#include "session/metrics.h"
#include "session/session.h"

namespace session {

struct MetricStream {
    zet_metric_group_handle_t group = nullptr;
    zet_metric_streamer_handle_t streamer = nullptr;

    /// `period`: nanoseconds from one report to the next.
    MetricStream(const Session& session, const char* group, std::uint32_t period);
    ~MetricStream();
    MetricStream(const MetricStream&) = delete;
    MetricStream& operator=(const MetricStream&) = delete;

    /// The data that have arrived since the last read. The data of several reads of one stream may be joined.
    std::vector<std::uint8_t> read() const;
    /// Waits for data and appends them to `raw`: a device may take a second to begin. Ends the program after ten
    /// seconds without data.
    void awaitReports(std::vector<std::uint8_t>& raw) const;

  private:
    const Session& session_;
};

}  // namespace session
