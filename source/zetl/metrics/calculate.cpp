#include "metrics/calculate.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <level_zero/zet_api.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "files/file_content.h"
#include "metrics/screen_table.h"
#include "text/json.h"
#include "text/result_name.h"

namespace zetl::command {
namespace {

using Bytes = std::vector<std::uint8_t>;

/// The description within exported data (docs/reference/metrics.md, "Exported data"), once the layer has accepted them.
Json descriptionIn(const Bytes& data) {
    std::uint32_t head = 0;
    std::uint64_t length = 0;
    constexpr std::size_t kHeadBytes = 12;
    constexpr std::size_t kDescriptionBytes = 16;
    std::memcpy(&head, data.data() + kHeadBytes, sizeof head);
    std::memcpy(&length, data.data() + kDescriptionBytes, sizeof length);
    const auto* const first = reinterpret_cast<const char*>(data.data()) + head;
    return Json::parse(first, first + length);
}

struct Values {
    std::vector<std::uint32_t> counts;  // per set
    std::vector<zet_typed_value_t> all;
};

/// The function needs neither a device nor a driver, so any value serves as its driver handle.
class Calculation {
  public:
    explicit Calculation(const Installation& installation) {
        void* const layer = dlopen(installation.layer.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (!layer) throw std::runtime_error(dlerror());
        function_ = reinterpret_cast<decltype(function_)>(dlsym(layer, "zetMetricGroupCalculateMetricExportDataExp"));
        if (!function_)
            throw std::runtime_error(fmt::format("{} cannot calculate metrics", installation.layer.native()));
    }

    Values valuesIn(const Bytes& data, const std::string& file) {
        std::uint32_t sets = 0;
        std::uint32_t total = 0;
        Values values;
        check(call(data, sets, total, values), file);
        values.counts.resize(sets);
        values.all.resize(total);
        if (total > 0) check(call(data, sets, total, values), file);
        values.all.resize(total);
        return values;
    }

  private:
    ze_result_t call(const Bytes& data, std::uint32_t& sets, std::uint32_t& total, Values& values) {
        zet_metric_calculate_exp_desc_t description{};
        return function_(reinterpret_cast<ze_driver_handle_t>(this), ZET_METRIC_GROUP_CALCULATION_TYPE_METRIC_VALUES,
                         data.size(), data.data(), &description, &sets, &total, values.counts.data(),
                         values.all.data());
    }
    static void check(ze_result_t result, const std::string& file) {
        if (result == ZE_RESULT_WARNING_DROPPED_DATA) {
            fmt::print(stderr, "zetl: some data was lost while it was collected\n");
            return;
        }
        if (result == ZE_RESULT_NOT_READY)
            throw std::runtime_error(file + " holds no report: collection ended too early");
        if (result != ZE_RESULT_SUCCESS)
            throw std::runtime_error(fmt::format(
                "{} is not exported metric data: {} (set ZETL_LOG=metrics=warn to see why)", file, resultName(result)));
    }

    decltype(&zetMetricGroupCalculateMetricExportDataExp) function_ = nullptr;
};

Json cell(const zet_typed_value_t& value) {
    switch (value.type) {
        case ZET_VALUE_TYPE_FLOAT32:
            return value.value.fp32;
        case ZET_VALUE_TYPE_FLOAT64:
            return value.value.fp64;
        case ZET_VALUE_TYPE_UINT32:
            return value.value.ui32;
        default:
            return value.value.ui64;
    }
}

std::vector<std::string> headingsOf(const Json& description) {
    std::vector<std::string> headings{"tile"};
    for (const auto& column : description["columns"]) {
        const std::string units = column["units"];
        const std::string name = column["name"];
        headings.push_back(units.empty() ? name : fmt::format("{}[{}]", name, units));
    }
    return headings;
}

}  // namespace

int calculate(const Installation& installation, const std::string& file, const TableOptions& tables) {
    TableOutputs outputs(tables);
    const auto content = contentOf(file);
    if (!content) throw std::runtime_error(fmt::format("{} cannot be opened", file));
    const Bytes data(content->begin(), content->end());
    const auto values = Calculation(installation).valuesIn(data, file);
    Table table{headingsOf(descriptionIn(data)), {}};
    const auto columns = table.headings.size() - 1;
    auto value = values.all.begin();
    for (std::size_t set = 0; set < values.counts.size(); ++set)
        for (std::size_t row = 0; row < values.counts[set] / columns; ++row) {
            auto& cells = table.rows.emplace_back();
            cells.emplace_back(set);
            for (std::size_t i = 0; i < columns; ++i) cells.push_back(cell(*value++));
        }
    outputs.write(table);
    if (outputs.shown) outputs.show(screenTable(table), stdout);
    return 0;
}

}  // namespace zetl::command
