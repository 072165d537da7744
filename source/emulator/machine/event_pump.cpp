#include "emulator/machine/event_pump.h"

#include <utility>

namespace zetl::emulator::machine {

EventPump::EventPump(Control::Sink sink) : sink_(std::move(sink)), thread_([this] { deliver(); }) {}

EventPump::~EventPump() {
    {
        std::lock_guard guard(mutex_);
        stopping_ = true;
    }
    wake_.notify_one();
    thread_.join();
}

void EventPump::post(StopEvent event) {
    std::lock_guard guard(mutex_);
    events_.push_back(std::move(event));
    wake_.notify_one();
}

void EventPump::deliver() {
    std::unique_lock lock(mutex_);
    for (;;) {
        wake_.wait(lock, [this] { return stopping_ || !events_.empty(); });
        if (stopping_) return;
        const StopEvent event = std::move(events_.front());
        events_.pop_front();
        lock.unlock();
        sink_(event);
        lock.lock();
    }
}

}  // namespace zetl::emulator::machine
