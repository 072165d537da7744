// A query pool of section "counters".
#pragma once

#include <ze_tools_layer/device_access.h>

#include <cstdint>
#include <utility>

#include "provider/word_plan.h"

namespace zetl::provider {

/// The functions query_... of the section, for slots that exist. Commands that were recorded for it may execute after
/// it was destroyed, so they share it.
class Query {
  public:
    Query(WordPlan plan, std::uint32_t slots) : plan_(std::move(plan)), slots_(slots) {}
    virtual ~Query() = default;
    Query(const Query&) = delete;
    Query& operator=(const Query&) = delete;

    const WordPlan& plan() const noexcept { return plan_; }
    std::uint32_t slots() const noexcept { return slots_; }

    virtual zetl_status_t begin(std::uint32_t slot, ze_command_list_handle_t list) = 0;
    virtual zetl_status_t end(std::uint32_t slot, ze_command_list_handle_t list, ze_event_handle_t signal,
                              std::uint32_t waitCount, const ze_event_handle_t* waits) = 0;
    virtual zetl_status_t reset(std::uint32_t slot) = 0;
    /// `report` has room for the plan's report.
    virtual zetl_status_t read(std::uint32_t slot, void* report, std::uint64_t& time) = 0;
    /// BUSY while a slot is in flight; otherwise the query will not be used any more.
    virtual zetl_status_t destroy() = 0;

  private:
    const WordPlan plan_;
    const std::uint32_t slots_;
};

}  // namespace zetl::provider
