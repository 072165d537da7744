// Collects reports while a kernel runs and exports them with all that is needed to read them: the file that
// metric_calculate, and `zetl metrics calculate`, read on any machine, without a GPU and without a driver.
//
//     metric_export FILE
//
// Exit code 0: it was written; 1: an error.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <thread>

#include "session/check.h"
#include "session/metric_stream.h"
#include "session/sum_work.h"

namespace {

constexpr std::uint32_t kPeriod = 1'000'000;  // nanoseconds

/// The driver returns the function by name: the loader may be older than the function.
std::vector<std::uint8_t> exported(const session::Session& session, zet_metric_group_handle_t group,
                                   const std::vector<std::uint8_t>& raw) {
    void* address = nullptr;
    CHECK(zeDriverGetExtensionFunctionAddress(session.driver, "zetMetricGroupGetExportDataExp", &address));
    const auto exportData = reinterpret_cast<decltype(&zetMetricGroupGetExportDataExp)>(address);
    std::size_t size = 0;
    CHECK(exportData(group, raw.data(), raw.size(), &size, nullptr));
    std::vector<std::uint8_t> data(size);
    CHECK(exportData(group, raw.data(), raw.size(), &size, data.data()));
    return data;
}

std::vector<std::uint8_t> collected(const session::Session& session) {
    const session::SumWork work(session, 64);
    session::Commands commands(session);
    const session::MetricStream stream(session, session::computeGroupOf(session.device).name, kPeriod);
    std::vector<std::uint8_t> raw;
    stream.awaitReports(raw);  // the first report is only a reference
    work.append(commands.list);
    commands.run();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    stream.awaitReports(raw);
    return exported(session, stream.group, raw);
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 2) {
        std::fprintf(stderr, "metric_export FILE\n");
        return 1;
    }
    session::switchMetricsOn();
    const session::Session session;
    const auto data = collected(session);
    std::ofstream file(arguments[1], std::ios::binary);
    file.write(reinterpret_cast<const char*>(data.data()), static_cast<std::streamsize>(data.size()));
    if (!file.flush()) {
        std::fprintf(stderr, "%s cannot be written\n", arguments[1]);
        return 1;
    }
    std::printf("metric_export: %zu bytes\n", data.size());
    return 0;
}
