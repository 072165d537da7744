#include "metrics/calculation/typed_values.h"

#include <algorithm>

namespace zetl::metrics {

ze_result_t announce(std::size_t columns, std::size_t reportBytes, const RawSets& raw, const Destination& to) {
    std::uint64_t reports = 0;
    for (std::size_t set = 0; set < raw.size(); ++set) reports += raw[set].size() / reportBytes;
    if (reports > UINT32_MAX / columns) return ZE_RESULT_ERROR_INVALID_SIZE;
    *to.sets = static_cast<std::uint32_t>(raw.size());
    *to.total = static_cast<std::uint32_t>(reports * columns);
    return ZE_RESULT_SUCCESS;
}

ze_result_t deliver(const Calculator& calculator, zet_metric_group_calculation_type_t type, const RawSets& raw,
                    const Destination& to) {
    if (*to.sets < raw.size()) return ZE_RESULT_ERROR_INVALID_SIZE;
    const auto columns = calculator.columns();
    std::size_t room = *to.total / columns;
    std::size_t written = 0;
    for (std::size_t set = 0; set < raw.size(); ++set) {
        const auto rows = std::min(room, calculator.rows(calculator.reports(raw[set].size())));
        calculator.calculate(type, raw[set], rows, to.values + written * columns);
        if (to.counts) to.counts[set] = static_cast<std::uint32_t>(rows * columns);
        room -= rows;
        written += rows;
    }
    *to.sets = static_cast<std::uint32_t>(raw.size());
    *to.total = static_cast<std::uint32_t>(written * columns);
    return ZE_RESULT_SUCCESS;
}

}  // namespace zetl::metrics
