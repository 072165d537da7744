// A query pool's slots, counted by ranges.
#pragma once

#include <ze_tools_layer/device_access.h>

#include <map>
#include <memory>

#include "base/mutex.h"
#include "base/result.h"
#include "nvidia/access/counted_plan.h"
#include "nvidia/cupti/counter_data.h"
#include "nvidia/driver/execution/command.h"
#include "provider/query.h"

namespace zetl::nvidia::access {

/// Thread-safe.
class Query final : public provider::Query, public std::enable_shared_from_this<Query> {
  public:
    Query(CountedPlan counted, std::uint32_t slots);

    zetl_status_t begin(std::uint32_t slot, ze_command_list_handle_t list) override;
    zetl_status_t end(std::uint32_t slot, ze_command_list_handle_t list, ze_event_handle_t signal,
                      std::uint32_t waitCount, const ze_event_handle_t* waits) override;
    zetl_status_t reset(std::uint32_t slot) override;
    zetl_status_t read(std::uint32_t slot, void* report, std::uint64_t& time) override;
    zetl_status_t destroy() override;

  private:
    /// The state of a slot. If it is NOT_READY or a refusal, there are no words.
    struct Counted {
        zetl_status_t status = ZETL_NOT_READY;
        std::vector<std::uint64_t> words;
        std::uint64_t end = 0;
    };
    zetl_status_t beginNow(std::uint32_t slot);
    zetl_status_t endNow(std::uint32_t slot);
    /// Makes `sample` part of what the list executes. Only a lost device fails there; read() reports other refusals.
    zetl_status_t record(std::uint32_t slot, zetl_status_t (Query::*sample)(std::uint32_t),
                         ze_command_list_handle_t list, const EventUse& use);
    zetl_status_t now(std::uint64_t& time) const;
    Status executed(std::uint32_t slot, zetl_status_t status);

    const std::shared_ptr<Lease> lease_;
    mutable Mutex mutex_;
    RangeSetup setup_ ZETL_GUARDED_BY(mutex_);
    CounterReader reader_ ZETL_GUARDED_BY(mutex_);
    std::map<std::uint32_t, Counted> counted_ ZETL_GUARDED_BY(mutex_);
    std::uint32_t open_ ZETL_GUARDED_BY(mutex_);  ///< the slot that has begun; slots() if none has
    std::uint64_t begin_ ZETL_GUARDED_BY(mutex_) = 0;
};

}  // namespace zetl::nvidia::access
