// A plan's counters, prepared for the hardware of a lease.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "nvidia/access/lease.h"
#include "provider/word_plan.h"

namespace zetl::nvidia::access {

struct CountedPlan {
    std::shared_ptr<Lease> lease;
    provider::WordPlan plan;
    std::string chip;
    std::vector<std::uint8_t> configuration;  ///< CUPTI's, of one pass
};

/// UNSUPPORTED: CUPTI does not know the chip, or the counters need several passes.
zetl_status_t prepare(std::shared_ptr<Lease> lease, provider::WordPlan plan, CountedPlan& prepared);

}  // namespace zetl::nvidia::access
