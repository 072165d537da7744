#include "session/metric_stream.h"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "session/check.h"

namespace session {

MetricStream::MetricStream(const Session& session, const char* name, std::uint32_t period)
    : group(findGroup(session.device, name, ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_TIME_BASED)), session_(session) {
    constexpr std::uint32_t kNotify = 32768;
    CHECK(zetContextActivateMetricGroups(session.context, session.device, 1, &group));
    zet_metric_streamer_desc_t description{ZET_STRUCTURE_TYPE_METRIC_STREAMER_DESC, nullptr, kNotify, period};
    CHECK(zetMetricStreamerOpen(session.context, session.device, group, &description, nullptr, &streamer));
}

MetricStream::~MetricStream() {
    zetMetricStreamerClose(streamer);
    zetContextActivateMetricGroups(session_.context, session_.device, 0, nullptr);
}

std::vector<std::uint8_t> MetricStream::read() const {
    std::size_t size = 0;
    CHECK(zetMetricStreamerReadData(streamer, UINT32_MAX, &size, nullptr));
    std::vector<std::uint8_t> raw(size);
    CHECK(zetMetricStreamerReadData(streamer, UINT32_MAX, &size, raw.data()));
    raw.resize(size);
    return raw;
}

void MetricStream::awaitReports(std::vector<std::uint8_t>& raw) const {
    constexpr int kLongest = 10'000;  // milliseconds
    for (int waited = 0; waited < kLongest; ++waited) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        const auto more = read();
        raw.insert(raw.end(), more.begin(), more.end());
        if (!more.empty()) return;
    }
    std::fprintf(stderr, "no report came within ten seconds\n");
    std::exit(EXIT_FAILURE);
}

}  // namespace session
