// Any bytes as exported metric data: documented codes, and whole rows where they are accepted.
#include <cstdlib>
#include <vector>

#include "metrics/metrics.h"

namespace {

using zetl::metrics::Metrics;
constexpr auto kType = ZET_METRIC_GROUP_CALCULATION_TYPE_METRIC_VALUES;
constexpr std::uint32_t kMostValues = 1 << 20;

void require(bool holds) {
    if (!holds) std::abort();
}

bool isDocumented(ze_result_t code) {
    return code == ZE_RESULT_SUCCESS || code == ZE_RESULT_NOT_READY || code == ZE_RESULT_ERROR_INVALID_ARGUMENT ||
           code == ZE_RESULT_ERROR_INVALID_SIZE;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    int any = 0;
    auto* const driver = reinterpret_cast<ze_driver_handle_t>(&any);
    zet_metric_calculate_exp_desc_t desc{};
    desc.rawReportSkipCount = size % 3;
    std::uint32_t sets = 0;
    std::uint32_t total = 0;
    auto code =
        Metrics::calculateMetricExportDataExp(driver, kType, size, data, &desc, &sets, &total, nullptr, nullptr);
    require(isDocumented(code));
    if (code != ZE_RESULT_SUCCESS || total == 0 || total > kMostValues) return 0;
    std::vector<std::uint32_t> counts(sets);
    std::vector<zet_typed_value_t> values(total);
    code = Metrics::calculateMetricExportDataExp(driver, kType, size, data, &desc, &sets, &total, counts.data(),
                                                 values.data());
    require(code == ZE_RESULT_SUCCESS && total <= values.size());
    std::uint64_t sum = 0;
    for (std::uint32_t set = 0; set < sets; ++set) sum += counts[set];
    require(sum == total);
    return 0;
}
