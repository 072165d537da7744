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

/// GONE: there is no such lease of the source. MISUSE: the bytes are no plan for it. UNSUPPORTED: CUPTI does not know
/// the chip, or the counters need several passes.
zetl_status_t prepare(zetl_lease_t lease, zetl_source_t source, const void* bytes, std::uint64_t size,
                      CountedPlan& prepared);

}  // namespace zetl::nvidia::access
