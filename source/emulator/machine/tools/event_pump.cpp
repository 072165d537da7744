#include "emulator/machine/tools/event_pump.h"

#include <new>
#include <utility>

namespace zetl::emulator::machine {

bool EventPump::start() noexcept {
    auto thread = ServiceThread::start(log::Channel::emulator, "zetl-events", [this] { deliver(); });
    if (!thread) return false;
    thread_ = *std::move(thread);
    return true;
}

EventPump::~EventPump() {
    {
        const Lock guard(mutex_);
        stopping_ = true;
    }
    wake_.notify_one();
    if (thread_.joinable()) thread_.join();
}

void EventPump::post(StopEvent event) noexcept {
    const Lock guard(mutex_);
    try {
        events_.push_back(std::move(event));
    } catch (const std::bad_alloc&) {
        log::error(log::Channel::emulator, "a stop of a thread is not told: the host is out of memory");
    }
    wake_.notify_one();
}

void EventPump::deliver() {
    Lock lock(mutex_);
    for (;;) {
        wake_.wait(lock, [this]() ZETL_REQUIRES(mutex_) { return stopping_ || !events_.empty(); });
        if (stopping_) return;
        const StopEvent event = std::move(events_.front());
        events_.pop_front();
        lock.unlock();
        sink_(event);
        lock.lock();
    }
}

}  // namespace zetl::emulator::machine
