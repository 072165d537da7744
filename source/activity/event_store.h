// The collector's own events with timestamps, for one context and device.
#pragma once

#include <map>
#include <vector>

#include "activity/level_zero.h"

namespace zetl::activity {

/// Makes events in pools when there are none left, and uses them again. Not thread-safe.
class EventStore {
  public:
    EventStore(const LevelZero& calls, ze_context_handle_t context, ze_device_handle_t device)
        : calls_(calls), context_(context), device_(device) {}
    /// The context's end frees the pools, since a device may still signal their events.
    ~EventStore() = default;
    EventStore(const EventStore&) = delete;
    EventStore& operator=(const EventStore&) = delete;

    /// Returns an unsignalled event, or null if no more can be made.
    ze_event_handle_t take();
    /// The event is signalled, or will not be signalled by any command.
    void giveBack(ze_event_handle_t event);
    /// Host memory for the times of so many events; null if there is none.
    ze_kernel_timestamp_result_t* takeTimes(std::size_t events);
    /// No command will write to it.
    void giveBackTimes(ze_kernel_timestamp_result_t* times, std::size_t events);
    /// Call it before the context is destroyed.
    void destroyAll();

  private:
    bool makePool();

    const LevelZero& calls_;
    ze_context_handle_t context_;
    ze_device_handle_t device_;
    std::vector<ze_event_pool_handle_t> pools_;
    std::vector<ze_event_handle_t> all_;
    std::vector<ze_event_handle_t> free_;
    std::vector<void*> memory_;
    std::multimap<std::size_t, ze_kernel_timestamp_result_t*> freeTimes_;  ///< by the number of events
    bool failed_ = false;
};

}  // namespace zetl::activity
