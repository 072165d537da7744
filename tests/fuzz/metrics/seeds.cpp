// Writes exported data as a first corpus:  metric_fuzz_seeds DIRECTORY
#include <filesystem>
#include <fstream>
#include <iostream>

#include "benchmark/metrics/reports.h"
#include "metrics/calculation/export_data.h"

int main(int count, char** arguments) {
    if (count != 2) {
        std::cerr << "usage: metric_fuzz_seeds DIRECTORY\n";
        return 2;
    }
    const std::filesystem::path directory = arguments[1];
    std::filesystem::create_directories(directory);
    const auto group = zetl::test::hardwareGroup();
    for (const std::size_t reports : {1, 3}) {
        const auto raw = zetl::test::reportsOf(reports);
        std::vector<std::byte> data(zetl::metrics::exportedBytes(group, raw.size()));
        zetl::metrics::exportData(group, raw, data.data());
        std::ofstream(directory / ("reports" + std::to_string(reports)), std::ios::binary)
            .write(reinterpret_cast<const char*>(data.data()), static_cast<std::streamsize>(data.size()));
    }
    return 0;
}
