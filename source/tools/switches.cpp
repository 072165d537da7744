#include "tools/switches.h"

#include "base/settings.h"

namespace zetl::tools {

Switches readSwitches() {
    return {settings::apiTracing(), settings::enabled(settings::kMetrics), settings::enabled(settings::kMetricTracers),
            settings::text(settings::kProgramDebugging).value_or("")};
}

}  // namespace zetl::tools
