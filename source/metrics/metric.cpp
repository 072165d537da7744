#include "metrics/metric.h"

#include "base/chain.h"
#include "metrics/fixed_text.h"
#include "metrics/log_channel.h"
#include "ze_tools_layer/level_zero/intel_metrics.h"
#include "ze_tools_layer/metric_error.h"

namespace zetl::metrics {

void Metric::fill(zet_metric_properties_t& properties) const {
    copyText(properties.name, column_.name);
    copyText(properties.description, column_.description);
    copyText(properties.component, column_.component);
    copyText(properties.resultUnits, column_.units);
    properties.tierNumber = column_.tier;
    properties.metricType = column_.type;
    properties.resultType = column_.value;
    forEachLink(properties.pNext, {"zetMetricGetProperties", kLog}, [this](ChainLink& link) {
        const auto type = static_cast<std::uint32_t>(link.stype);
        if (type == ZET_INTEL_STRUCTURE_TYPE_METRIC_CALCULABLE_PROPERTIES_EXP) {
            reinterpret_cast<zet_intel_metric_calculable_properties_exp_t&>(link).isCalculable = true;
        } else if (type == ZETL_STRUCTURE_TYPE_METRIC_ERROR_PROPERTIES) {
            auto& error = reinterpret_cast<zetl_metric_error_properties_t&>(link);
            error.isModelled = column_.modelled;
            copyText(error.errorMetric, column_.error);
        } else {
            return false;
        }
        return true;
    });
}

}  // namespace zetl::metrics
