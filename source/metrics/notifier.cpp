#include "metrics/notifier.h"

#include <unistd.h>

#include <algorithm>
#include <new>

namespace zetl::metrics {

Notifier::~Notifier() {
    ServiceThread ended;
    {
        const Lock guard(mutex_);
        ending_ = true;
        ended = std::move(thread_);
    }
    changed_.notify_all();
    if (ended.joinable()) ended.join();
}

bool Notifier::watch(Watched one) noexcept try {
    const Lock guard(mutex_);
    watched_.push_back(std::move(one));
    watching_ = getpid();
    if (!thread_.joinable())
        if (auto thread = ServiceThread::start(log::Channel::metrics, "zetl-notifier", [this] { run(); }))
            thread_ = *std::move(thread);
    if (!thread_.joinable()) watched_.pop_back();
    changed_.notify_all();
    return thread_.joinable();
} catch (const std::bad_alloc&) {
    return false;
}

void Notifier::forget(const void* owner) {
    const Lock guard(mutex_);
    std::erase_if(watched_, [&](const auto& each) { return each.owner.get() == owner; });
}

void Notifier::forgetEvent(ze_event_handle_t event) noexcept {
    const auto process = watching_.load(std::memory_order_acquire);
    if (process == 0 || process != getpid()) return;
    const Lock guard(mutex_);
    std::erase_if(watched_, [&](const auto& each) { return each.notification == event; });
}

void Notifier::run() {
    Lock lock(mutex_);
    while (!ending_) {
        // Signalling under the lock is what makes forget() final; it is a store and a wake-up in the driver.
        std::chrono::nanoseconds sleep = kLongestSleep;
        for (const auto& one : watched_) sleep = std::min(sleep, attend(one));
        if (watched_.empty())
            changed_.wait(lock, [this]() ZETL_REQUIRES(mutex_) { return ending_ || !watched_.empty(); });
        else
            changed_.wait_until(lock, std::chrono::steady_clock::now() + sleep);
    }
}

/// Signals the event if it is due, and returns the time until the next visit.
std::chrono::nanoseconds Notifier::attend(const Watched& one) const {
    const auto rest = one.untilThen();
    if (rest.count() > 0) return rest;
    if (core_.eventQueryStatus(one.notification) == ZE_RESULT_NOT_READY) core_.eventHostSignal(one.notification);
    return kAgain;
}

}  // namespace zetl::metrics
