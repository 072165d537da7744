// Collects reports while a kernel runs and exports them with all that is needed to read them: the file that
// metric_calculate, and `zetl metrics calculate`, read on any machine, without a GPU and without a driver.
//
//     metric_export FILE
//
// FILE.columns gets the names and units of the values, one column per line: the functions that calculate return values
// only. Exit code 0: both files were written; 1: an error.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
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

struct Collected {
    std::vector<std::uint8_t> data;
    std::string columns;
};

std::string columnsOf(zet_metric_group_handle_t group) {
    std::string lines;
    for (auto* const metric : session::listOf(zetMetricGet, group)) {
        const auto column = session::propertiesOf(metric);
        lines += std::string(column.name) + (*column.resultUnits ? " [" : "") + column.resultUnits +
                 (*column.resultUnits ? "]\n" : "\n");
    }
    return lines;
}

void write(const std::string& path, const void* bytes, std::size_t count) {
    std::ofstream file(path, std::ios::binary);
    file.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(count));
    if (file.flush()) return;
    std::fprintf(stderr, "%s cannot be written\n", path.c_str());
    std::exit(EXIT_FAILURE);
}

Collected collected(const session::Session& session) {
    const session::SumWork work(session, 64);
    session::Commands commands(session);
    const session::MetricStream stream(session, session::computeGroupOf(session.device).name, kPeriod);
    std::vector<std::uint8_t> raw;
    stream.awaitReports(raw);  // the first report is only a reference
    work.append(commands.list);
    commands.run();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    stream.awaitReports(raw);
    return {exported(session, stream.group, raw), columnsOf(stream.group)};
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 2) {
        std::fprintf(stderr, "metric_export FILE\n");
        return 1;
    }
    session::switchMetricsOn();
    const session::Session session;
    const auto [data, columns] = collected(session);
    write(arguments[1], data.data(), data.size());
    write(std::string(arguments[1]) + ".columns", columns.data(), columns.size());
    std::printf("metric_export: %zu bytes\n", data.size());
    return 0;
}
