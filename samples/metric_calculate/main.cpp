// Calculates exported metric data without a GPU and without a driver. The program is linked to the layer, whose
// function needs neither; so any handle that is not null can stand for the driver. Prints one row of comma-separated
// values per report and tile, below the names of the columns.
//
//     metric_calculate FILE
//
// FILE and FILE.columns come from metric_export. Exit code 0: there are rows; 1: none, or an error.
#include <level_zero/zet_api.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "session/check.h"
#include "session/metrics.h"

namespace {

struct Values {
    std::vector<std::uint32_t> ofTile;  // how many values each tile has
    std::vector<zet_typed_value_t> all;
};

Values valuesIn(const std::vector<std::uint8_t>& data) {
    auto* const anyDriver = reinterpret_cast<ze_driver_handle_t>(const_cast<std::uint8_t*>(data.data()));
    zet_metric_calculate_exp_desc_t description{ZET_STRUCTURE_TYPE_METRIC_CALCULATE_EXP_DESC, nullptr, 0};
    constexpr auto kType = ZET_METRIC_GROUP_CALCULATION_TYPE_METRIC_VALUES;
    const auto calculate = [&](std::uint32_t& sets, std::uint32_t& total, Values& values) {
        CHECK(zetMetricGroupCalculateMetricExportDataExp(anyDriver, kType, data.size(), data.data(), &description,
                                                         &sets, &total, values.ofTile.data(), values.all.data()));
    };
    std::uint32_t sets = 0;
    std::uint32_t total = 0;
    Values values;
    calculate(sets, total, values);
    values.ofTile.resize(sets);
    values.all.resize(total);
    if (total > 0) calculate(sets, total, values);
    values.all.resize(total);
    return values;
}

std::ifstream opened(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (file && !std::filesystem::is_directory(path)) return file;  // a directory opens, too
    std::fprintf(stderr, "%s cannot be read: metric_export writes it\n", path.c_str());
    std::exit(EXIT_FAILURE);
}

std::vector<std::uint8_t> bytesOf(const std::string& path) {
    auto file = opened(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> linesOf(const std::string& path) {
    auto file = opened(path);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
}

/// Returns the number of rows.
std::size_t print(const std::vector<std::string>& columns, const Values& values) {
    std::printf("tile");
    for (const auto& column : columns) std::printf(",%s", column.c_str());
    std::size_t rows = 0;
    std::size_t next = 0;
    for (std::size_t tile = 0; tile < values.ofTile.size(); ++tile)
        for (std::uint32_t i = 0; i < values.ofTile[tile] && next < values.all.size(); ++i, ++next) {
            if (i % columns.size() == 0) std::printf("\n%zu", tile);
            rows += i % columns.size() == 0 ? 1 : 0;
            std::printf(",%s", session::textOf(values.all[next]).c_str());
        }
    std::printf("\n");
    return rows;
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 2) {
        std::fprintf(stderr, "metric_calculate FILE\n");
        return 1;
    }
    const std::string path = arguments[1];
    const auto columns = linesOf(path + ".columns");
    const auto values = valuesIn(bytesOf(path));
    if (columns.empty() || values.all.size() % columns.size() != 0) {
        std::fprintf(stderr, "%s.columns does not belong to %s\n", path.c_str(), path.c_str());
        return 1;
    }
    const auto rows = print(columns, values);
    std::printf("metric_calculate: %zu rows of %zu columns from %zu tiles\n", rows, columns.size(),
                values.ofTile.size());
    return rows == 0 ? 1 : 0;
}
