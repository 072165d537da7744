// Delivers stop events from a thread of its own, in order, with no lock held.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "emulator/machine/control.h"

namespace zetl::emulator::machine {

class EventPump {
  public:
    explicit EventPump(Control::Sink sink);
    /// Drops what was not delivered; no call of the sink is in progress afterwards.
    ~EventPump();
    EventPump(const EventPump&) = delete;
    EventPump& operator=(const EventPump&) = delete;

    void post(StopEvent event);

  private:
    void deliver();

    Control::Sink sink_;
    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<StopEvent> events_;
    bool stopping_ = false;
    std::thread thread_;
};

}  // namespace zetl::emulator::machine
