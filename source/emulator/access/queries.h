// The objects of section "counters": leases and queries.
#pragma once

#include <memory>
#include <optional>

#include "emulator/access/collecting.h"
#include "emulator/access/device_ref.h"
#include "provider/backend.h"
#include "provider/query.h"

namespace zetl::emulator::access {

/// The right to use a source of a device's counters.
struct Lease {
    driver::Device* device;
    zetl_source_t source;
    std::optional<Collecting> collecting;  ///< of queries each has its own, if its counters need it
};

std::shared_ptr<Lease> leaseOn(driver::Device& device, zetl_source_t source);

/// MISUSE if the plan names a counter that does not exist.
provider::Made<provider::Query> queryOn(driver::Device& device, provider::WordPlan plan, std::uint32_t slots);

}  // namespace zetl::emulator::access
