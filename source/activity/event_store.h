// Events with timestamps of the collector's own, for one context and device.
#pragma once

#include <vector>

#include "activity/level_zero.h"

namespace zetl::activity {

/// Made in pools when none is left, and used again. Not thread-safe.
class EventStore {
  public:
    EventStore(const LevelZero& calls, ze_context_handle_t context, ze_device_handle_t device)
        : calls_(calls), context_(context), device_(device) {}
    /// Of events that a device may still signal, the pools are left to the context's end.
    ~EventStore() = default;
    EventStore(const EventStore&) = delete;
    EventStore& operator=(const EventStore&) = delete;

    /// An unsignalled event, or null if there can be none.
    ze_event_handle_t take();
    /// It is signalled, or no command is to signal it.
    void giveBack(ze_event_handle_t event);
    /// Before the context is destroyed.
    void destroyAll();

  private:
    bool makePool();

    const LevelZero& calls_;
    ze_context_handle_t context_;
    ze_device_handle_t device_;
    std::vector<ze_event_pool_handle_t> pools_;
    std::vector<ze_event_handle_t> all_;
    std::vector<ze_event_handle_t> free_;
    bool failed_ = false;
};

}  // namespace zetl::activity
