// Time-based collection: one report of ComputeBasic (or of the corresponding group of the device's vendor) per
// millisecond, while a kernel runs again and again, with a marker in the middle. Prints when the vector engines were
// active, and where the marker lies.
//
// Exit code 0: the reports show the work, and the marker if the device has markers. 1: they do not, or an error.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>

#include "session/check.h"
#include "session/metric_stream.h"
#include "session/sum_work.h"

namespace {

constexpr std::uint32_t kPeriod = 1'000'000;  // nanoseconds
constexpr std::uint32_t kMarker = 42;

struct Seen {
    std::uint32_t rows = 0;
    std::uint32_t active = 0;
    bool marker = false;
};

Seen print(zet_metric_group_handle_t group, const char* activeColumn, const std::vector<zet_typed_value_t>& values) {
    const auto time = session::columnOf(group, "QueryBeginTime");
    const auto active = session::columnOf(group, activeColumn);
    const auto marker = session::columnOf(group, "StreamMarker");
    const std::string unit = session::propertiesOf(session::listOf(zetMetricGet, group)[active]).resultUnits;
    const auto columns = session::propertiesOf(group).metricCount;
    Seen seen;
    for (std::size_t row = 0; row + columns <= values.size(); row += columns, ++seen.rows) {
        const bool worked = session::numberOf(values[row + active]) > 0;
        const bool marked = values[row + marker].value.ui64 == kMarker;
        if (worked) ++seen.active;
        seen.marker = seen.marker || marked;
        if (worked || marked)
            std::printf("%16s ns  active %6s %s%s\n", session::textOf(values[row + time]).c_str(),
                        session::textOf(values[row + active]).c_str(), unit.c_str(), marked ? "  marker" : "");
    }
    return seen;
}

/// False if the device has no markers.
bool mark(ze_command_list_handle_t list, zet_metric_streamer_handle_t streamer) {
    const auto result = zetCommandListAppendMetricStreamerMarker(list, streamer, kMarker);
    if (result == ZE_RESULT_ERROR_UNSUPPORTED_FEATURE) {
        std::printf("metric_streamer: the device has no markers\n");
        return false;
    }
    CHECK(result);
    return true;
}

}  // namespace

int main() {
    session::switchMetricsOn();
    const session::Session session;
    const session::SumWork work(session, 64);
    session::Commands commands(session);
    std::vector<std::uint8_t> raw;
    zet_metric_group_handle_t group = nullptr;
    const auto& known = session::computeGroupOf(session.device);
    bool markers = false;
    {
        const session::MetricStream stream(session, known.name, kPeriod);
        group = stream.group;
        stream.awaitReports(raw);  // the first report is only a reference
        for (int i = 0; i < 4; ++i) {
            if (i == 2) markers = mark(commands.list, stream.streamer);
            work.append(commands.list);
            commands.run();
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        stream.awaitReports(raw);
    }
    const auto seen = print(group, known.active, session::calculate(group, raw));
    std::printf("metric_streamer: %u rows, the engines were active in %u\n", seen.rows, seen.active);
    return seen.active > 0 && seen.marker == markers ? 0 : 1;
}
