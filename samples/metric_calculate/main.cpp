// Calculates exported metric data without a GPU and without a driver: the layer's library does it by itself, so it is
// opened directly, and any handle stands for the driver that it has no use for.
//
//     metric_calculate FILE
//
// Exit code 0: there are rows; 1: none, or an error.
#include <dlfcn.h>
#include <level_zero/zet_api.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <vector>

#include "session/check.h"
#include "session/metrics.h"

namespace {

using Calculate = decltype(&zetMetricGroupCalculateMetricExportDataExp);

struct Values {
    std::vector<std::uint32_t> ofSet;  // how many each tile has
    std::vector<zet_typed_value_t> all;
};

Values valuesIn(Calculate calculate, const std::vector<std::uint8_t>& data) {
    auto* const anyDriver = reinterpret_cast<ze_driver_handle_t>(const_cast<std::uint8_t*>(data.data()));
    zet_metric_calculate_exp_desc_t description{ZET_STRUCTURE_TYPE_METRIC_CALCULATE_EXP_DESC, nullptr, 0};
    constexpr auto kType = ZET_METRIC_GROUP_CALCULATION_TYPE_METRIC_VALUES;
    std::uint32_t sets = 0;
    std::uint32_t total = 0;
    CHECK(calculate(anyDriver, kType, data.size(), data.data(), &description, &sets, &total, nullptr, nullptr));
    Values values{std::vector<std::uint32_t>(sets), std::vector<zet_typed_value_t>(total)};
    if (total > 0)
        CHECK(calculate(anyDriver, kType, data.size(), data.data(), &description, &sets, &total, values.ofSet.data(),
                        values.all.data()));
    values.all.resize(total);
    return values;
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 2) {
        std::fprintf(stderr, "metric_calculate FILE\n");
        return 1;
    }
    std::ifstream file(arguments[1], std::ios::binary);
    const std::vector<std::uint8_t> data(std::istreambuf_iterator<char>(file), {});
    void* const layer = dlopen("libze_tools_layer.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!layer) {
        std::fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    const auto calculate = reinterpret_cast<Calculate>(dlsym(layer, "zetMetricGroupCalculateMetricExportDataExp"));
    const auto values = valuesIn(calculate, data);
    for (const auto& value : values.all) std::printf("%s ", session::textOf(value).c_str());
    std::printf("\nmetric_calculate: %zu values of %zu tiles\n", values.all.size(), values.ofSet.size());
    return values.all.empty() ? 1 : 0;
}
