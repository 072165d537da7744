// A streamer of one metric group, from its activation to its end (Tools Programming Guide, "Metric Streamer").
#pragma once

#include <cstdint>

#include "session/metrics.h"
#include "session/session.h"

namespace session {

struct MetricStream {
    zet_metric_group_handle_t group = nullptr;
    zet_metric_streamer_handle_t streamer = nullptr;

    /// One report a period, in nanoseconds.
    MetricStream(const Session& session, const char* group, std::uint32_t period);
    ~MetricStream();
    MetricStream(const MetricStream&) = delete;
    MetricStream& operator=(const MetricStream&) = delete;

    /// What has come since the last read. The reads of one stream may be joined.
    std::vector<std::uint8_t> read() const;
    /// The same, appended, once anything has come: a device may take a second to begin. Ends the
    /// program after ten in vain.
    void awaitReports(std::vector<std::uint8_t>& raw) const;

  private:
    const Session& session_;
};

}  // namespace session
