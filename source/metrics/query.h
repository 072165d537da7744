// Query pools and queries.
#pragma once

#include <memory>

#include "base/handle_head.h"
#include "device/core_calls.h"
#include "metrics/device_state.h"

namespace zetl::metrics {

/// Slots of one group, or of none: an execution pool measures nothing, and its ends only signal. Thread-safe.
class QueryPool : public RoutedObject<QueryPool, zet_metric_query_pool_handle_t> {
  public:
    static Result<std::shared_ptr<QueryPool>> create(DeviceState& state, std::shared_ptr<const Measurement> measured,
                                                     std::uint32_t slots, const device::CoreCalls& core);
    ~QueryPool();

    std::uint32_t slots() const noexcept { return slots_; }
    const DeviceState& state() const noexcept { return state_; }
    /// False for an execution pool.
    bool measures() const noexcept { return measured_ != nullptr; }

    /// Ends the pool on the device. HANDLE_OBJECT_IN_USE while a slot is between begin and end.
    ze_result_t destroy();

    ze_result_t begin(std::uint32_t slot, ze_command_list_handle_t list);
    ze_result_t end(std::uint32_t slot, ze_command_list_handle_t list, ze_event_handle_t signal,
                    std::uint32_t waitCount, ze_event_handle_t* waits);
    ze_result_t reset(std::uint32_t slot);
    /// NOT_READY until the end has executed; INVALID_SIZE if *size is too small.
    ze_result_t read(std::uint32_t slot, std::size_t* size, std::uint8_t* target);

  private:
    /// The list to record into; null for an immediate one on which begin and end drain the device.
    ze_command_list_handle_t recorder(ze_command_list_handle_t list) const;
    /// The code of an appended begin or end.
    ze_result_t appended(zetl_status_t status) const;

    QueryPool(DeviceState& state, std::shared_ptr<const Measurement> measured, std::uint32_t slots,
              const device::CoreCalls& core)
        : state_(state), measured_(std::move(measured)), slots_(slots), core_(core) {}
    const zetl_counter_functions_t& functions() const noexcept { return state_.device().access().counters(); }

    DeviceState& state_;
    const std::shared_ptr<const Measurement> measured_;
    const std::uint32_t slots_;
    const device::CoreCalls core_;
    std::shared_ptr<const zetl_lease_t> lease_;
    zetl_query_t query_ = 0;
};

/// One slot, as an object with a handle. Its data are in the pool.
class Query : public RoutedObject<Query, zet_metric_query_handle_t> {
  public:
    Query(std::shared_ptr<QueryPool> pool, std::uint32_t slot) : pool_(std::move(pool)), slot_(slot) {}
    QueryPool& pool() const noexcept { return *pool_; }
    std::uint32_t slot() const noexcept { return slot_; }

  private:
    const std::shared_ptr<QueryPool> pool_;
    const std::uint32_t slot_;
};

}  // namespace zetl::metrics
