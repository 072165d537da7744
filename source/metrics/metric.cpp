#include "metrics/metric.h"

#include "metrics/fixed_text.h"

namespace zetl::metrics {

void Metric::fill(zet_metric_properties_t& properties) const {
    copyText(properties.name, column_.name);
    copyText(properties.description, column_.description);
    copyText(properties.component, column_.component);
    copyText(properties.resultUnits, column_.units);
    properties.tierNumber = column_.tier;
    properties.metricType = column_.type;
    properties.resultType = column_.value;
}

}  // namespace zetl::metrics
