// The times of a graph's commands, saved on the device before the next execution of the graph overwrites them.
#pragma once

#include <memory>
#include <span>

#include "activity/event_store.h"

namespace zetl::activity {

/// What one execution has written to the events of its commands. Not thread-safe.
class KeptTimes {
  public:
    /// Appends a copy of the times behind the end of that execution, and the reset of the events: commands that are
    /// appended to the list later may signal them again. Null if the driver refuses.
    static std::shared_ptr<KeptTimes> append(const LevelZero& calls, EventStore& store, ze_command_list_handle_t list,
                                             std::span<ze_event_handle_t> events);
    ~KeptTimes();
    KeptTimes(const KeptTimes&) = delete;
    KeptTimes& operator=(const KeptTimes&) = delete;

    /// Null until the device has copied the times.
    const ze_kernel_timestamp_result_t* of(std::size_t event);

  private:
    KeptTimes(const LevelZero& calls, EventStore& store, std::size_t events);
    bool copy(ze_command_list_handle_t list, std::span<ze_event_handle_t> events);
    bool copied();

    const LevelZero& calls_;
    EventStore& store_;
    const std::size_t events_;
    ze_event_handle_t done_ = nullptr;
    ze_kernel_timestamp_result_t* times_ = nullptr;
    bool submitted_ = false;
    bool copied_ = false;
};

}  // namespace zetl::activity
