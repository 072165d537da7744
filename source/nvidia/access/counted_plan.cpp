#include "nvidia/access/counted_plan.h"

#include "nvidia/access/device_ref.h"
#include "nvidia/cupti/chip.h"

namespace zetl::nvidia::access {

zetl_status_t prepare(std::shared_ptr<Lease> lease, provider::WordPlan plan, CountedPlan& prepared) {
    const auto& name = chipOf(*lease->device);
    const auto* const chip = Chip::named(name);
    if (!chip) return ZETL_UNSUPPORTED;
    CounterConfiguration configuration;
    if (const auto bad = chip->configure(plan.source, plan.texts(), configuration); bad != ZETL_OK) return bad;
    if (configuration.passes != 1) return ZETL_UNSUPPORTED;
    prepared = {std::move(lease), std::move(plan), name, std::move(configuration.image)};
    return ZETL_OK;
}

}  // namespace zetl::nvidia::access
