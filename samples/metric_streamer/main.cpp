// Time-based collection: reports of ComputeBasic, one a millisecond, while a kernel runs again and again, with a marker
// in the middle. Prints when the vector engines were active, and where the marker lies.
//
// Exit code 0: the work and the marker were seen; 1: they were not, or an error.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <thread>

#include "session/check.h"
#include "session/metric_stream.h"
#include "session/sum_work.h"

namespace {

constexpr std::uint32_t kPeriod = 1'000'000;  // nanoseconds
constexpr std::uint32_t kMarker = 42;

/// Where the rows have that column.
std::size_t columnOf(zet_metric_group_handle_t group, const char* name) {
    const auto metrics = session::listOf(zetMetricGet, group);
    for (std::size_t i = 0; i < metrics.size(); ++i)
        if (std::strcmp(session::propertiesOf(metrics[i]).name, name) == 0) return i;
    std::fprintf(stderr, "the group has no column %s\n", name);
    std::exit(EXIT_FAILURE);
}

struct Seen {
    std::uint32_t rows = 0;
    std::uint32_t active = 0;
    bool marker = false;
};

Seen print(zet_metric_group_handle_t group, const std::vector<zet_typed_value_t>& values) {
    const auto time = columnOf(group, "QueryBeginTime");
    const auto active = columnOf(group, "XVE_ACTIVE");
    const auto marker = columnOf(group, "StreamMarker");
    const auto columns = session::propertiesOf(group).metricCount;
    Seen seen;
    for (std::size_t row = 0; row + columns <= values.size(); row += columns, ++seen.rows) {
        const auto share = values[row + active].value.fp32;
        const bool marked = values[row + marker].value.ui64 == kMarker;
        if (share > 0) ++seen.active;
        seen.marker = seen.marker || marked;
        if (share > 0 || marked)
            std::printf("%16s ns  active %6s %%%s\n", session::textOf(values[row + time]).c_str(),
                        session::textOf(values[row + active]).c_str(), marked ? "  marker" : "");
    }
    return seen;
}

}  // namespace

int main() {
    session::switchMetricsOn();
    const session::Session session;
    const session::SumWork work(session, 64);
    session::Commands commands(session);
    std::vector<std::uint8_t> raw;
    zet_metric_group_handle_t group = nullptr;
    {
        const session::MetricStream stream(session, "ComputeBasic", kPeriod);
        group = stream.group;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));  // the first report is only a reference
        for (int i = 0; i < 4; ++i) {
            if (i == 2) CHECK(zetCommandListAppendMetricStreamerMarker(commands.list, stream.streamer, kMarker));
            work.append(commands.list);
            commands.run();
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        raw = stream.read();
    }
    const auto seen = print(group, session::calculate(group, raw));
    std::printf("metric_streamer: %u rows, the engines were active in %u\n", seen.rows, seen.active);
    return seen.active > 0 && seen.marker ? 0 : 1;
}
