// The data that a traced call reads: the callbacks of one function, frozen.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "ddi/route.h"

namespace zetl::tracing {

/// Names a tracer; never used twice in the life of the process, never 0.
using TracerId = std::uint64_t;

/// One tracer's interest in one function. Either callback may be null, not both.
struct Subscription {
    ddi::Address prologue;
    ddi::Address epilogue;
    void* userData;
    TracerId tracer;
};

/// The subscriptions to one function, in the order in which their tracers were enabled. Never changes once published; a
/// change of any subscription publishes another snapshot, so that a call finishes with the set with which it began.
struct Snapshot {
    std::vector<Subscription> subscriptions;

    bool concerns(TracerId tracer) const noexcept {
        for (const auto& each : subscriptions)
            if (each.tracer == tracer) return true;
        return false;
    }
};

/// The current snapshot of each traced function; null if no tracer listens.
inline constinit std::atomic<const Snapshot*> published[ddi::kTraced];

}  // namespace zetl::tracing
