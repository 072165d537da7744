#include "tools/switches.h"

#include "base/settings.h"
#include "ddi/loader_clients.h"

namespace zetl::tools {
namespace {

/// Clients written before tracers came take a third sampling type for a mistake, and some abort.
bool metricTracers() {
    const auto wanted = settings::text(settings::kMetricTracers);
    return wanted ? *wanted == "1" : ddi::clientsRefer("zetMetricTracer");
}

}  // namespace

Switches readSwitches() {
    return {settings::apiTracing(), settings::enabled(settings::kMetrics), metricTracers(),
            settings::text(settings::kProgramDebugging).value_or("")};
}

}  // namespace zetl::tools
