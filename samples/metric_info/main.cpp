// Lists the metric groups of the first GPU, and the metrics in each: name, sampling type, domain, units, types.
//
// Exit code 0: there are groups; 1: none, or an error.
#include <cstdio>

#include "session/check.h"
#include "session/metrics.h"
#include "session/session.h"

namespace {

const char* samplingOf(const zet_metric_group_properties_t& group) {
    if ((group.samplingType & ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_TIME_BASED) != 0) return "time-based";
    return (group.samplingType & ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_EVENT_BASED) != 0 ? "event-based" : "other";
}

void print(zet_metric_group_handle_t group) {
    const auto properties = session::propertiesOf(group);
    std::printf("%s (%s, domain %u, %u metrics): %s\n", properties.name, samplingOf(properties), properties.domain,
                properties.metricCount, properties.description);
    for (auto* const metric : session::listOf(zetMetricGet, group)) {
        const auto column = session::propertiesOf(metric);
        std::printf("    %-40s %-10s %s\n", column.name, column.resultUnits, column.description);
    }
}

}  // namespace

int main() {
    session::switchMetricsOn();
    const session::Session session;
    const auto groups = session::listOf(zetMetricGroupGet, session.device);
    for (auto* const group : groups) print(group);
    std::printf("metric_info: %zu groups\n", groups.size());
    return groups.empty() ? 1 : 0;
}
