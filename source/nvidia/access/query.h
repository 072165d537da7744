// A query pool's slots, counted by ranges.
#pragma once

#include <ze_tools_layer/device_access.h>

#include <map>
#include <memory>

#include "base/mutex.h"
#include "base/result.h"
#include "nvidia/access/counted_plan.h"
#include "nvidia/cupti/counter_data.h"

namespace zetl::nvidia::access {

/// Thread-safe.
class Query {
  public:
    Query(CountedPlan counted, std::uint32_t slots);

    std::uint32_t slots() const noexcept { return slots_; }
    const provider::WordPlan& plan() const noexcept { return plan_; }

    zetl_status_t begin(std::uint32_t slot);
    zetl_status_t end(std::uint32_t slot);
    /// The same as parts of a list. Only a lost device fails here; read() reports other refusals.
    Status executeBegin(std::uint32_t slot);
    Status executeEnd(std::uint32_t slot);
    /// Returns BUSY between begin and end.
    zetl_status_t reset(std::uint32_t slot);
    zetl_status_t read(std::uint32_t slot, void* report, std::uint64_t& time);
    bool inFlight() const;

  private:
    /// The state of a slot. If it is NOT_READY or a refusal, there are no words.
    struct Counted {
        zetl_status_t status = ZETL_NOT_READY;
        std::vector<std::uint64_t> words;
        std::uint64_t end = 0;
    };
    zetl_status_t now(std::uint64_t& time) const;
    Status executed(std::uint32_t slot, zetl_status_t status);

    const std::shared_ptr<Lease> lease_;
    const provider::WordPlan plan_;
    const std::uint32_t slots_;
    mutable Mutex mutex_;
    RangeSetup setup_ ZETL_GUARDED_BY(mutex_);
    CounterReader reader_ ZETL_GUARDED_BY(mutex_);
    std::map<std::uint32_t, Counted> counted_ ZETL_GUARDED_BY(mutex_);
    std::uint32_t open_ ZETL_GUARDED_BY(mutex_);  ///< the slot that has begun; slots_ if none has
    std::uint64_t begin_ ZETL_GUARDED_BY(mutex_) = 0;
};

}  // namespace zetl::nvidia::access
