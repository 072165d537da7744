#include "nvidia/access/counted_plan.h"

#include "nvidia/access/device_ref.h"
#include "nvidia/cupti/chip.h"

namespace zetl::nvidia::access {

zetl_status_t prepare(zetl_lease_t id, zetl_source_t source, const void* bytes, std::uint64_t size,
                      CountedPlan& prepared) {
    auto lease = leaseOf(id, source);
    if (!lease) return ZETL_GONE;
    auto plan = provider::WordPlan::parse(bytes, size);
    if (!plan || plan->source != source) return ZETL_MISUSE;
    const auto& name = chipOf(*lease->device);
    const auto* const chip = Chip::named(name);
    if (!chip) return ZETL_UNSUPPORTED;
    CounterConfiguration configuration;
    if (const auto bad = chip->configure(source, plan->texts(), configuration); bad != ZETL_OK) return bad;
    if (configuration.passes != 1) return ZETL_UNSUPPORTED;
    prepared = {std::move(lease), *std::move(plan), name, std::move(configuration.image)};
    return ZETL_OK;
}

}  // namespace zetl::nvidia::access
