// Delivers stop events from a thread of its own, in order, with no lock held.
#pragma once

#include <deque>
#include <utility>

#include "base/mutex.h"
#include "base/service_thread.h"
#include "emulator/machine/control.h"

namespace zetl::emulator::machine {

class EventPump {
  public:
    explicit EventPump(Control::Sink sink) : sink_(std::move(sink)) {}
    /// Drops events that were not delivered; no call of the sink is in progress afterwards.
    ~EventPump();
    /// Call it once. Returns false, and logs a line, if the system gives no thread.
    bool start() noexcept;
    EventPump(const EventPump&) = delete;
    EventPump& operator=(const EventPump&) = delete;

    /// Delivers an event. If there is no memory for it, it is lost, which is logged.
    void post(StopEvent event) noexcept;

  private:
    void deliver();

    Control::Sink sink_;
    Mutex mutex_;
    Condition wake_;
    std::deque<StopEvent> events_ ZETL_GUARDED_BY(mutex_);
    bool stopping_ ZETL_GUARDED_BY(mutex_) = false;
    ServiceThread thread_;
};

}  // namespace zetl::emulator::machine
