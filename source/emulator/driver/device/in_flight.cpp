#include "emulator/driver/device/in_flight.h"

#include "base/never_destroyed.h"

namespace zetl::emulator::driver {

InFlight& InFlight::instance() {
    static NeverDestroyed<InFlight> all;
    return *all;
}

std::uint64_t InFlight::begin() {
    const Lock guard(mutex_);
    running_.insert(running_.end(), last_ + 1);
    return ++last_;
}

void InFlight::end(std::uint64_t submission) noexcept {
    std::list<Waiting> due;
    {
        const Lock guard(mutex_);
        running_.erase(submission);
        for (auto next = waiting_.begin(); next != waiting_.end();) {
            const auto one = next++;
            if (doneUpTo(one->last)) due.splice(due.end(), waiting_, one);
        }
        ++acting_;
    }
    for (const Waiting& one : due) one.action();
    const Lock guard(mutex_);
    --acting_;
    changed_.notify_all();
}

void InFlight::whenDone(std::function<void()> action) {
    {
        const Lock guard(mutex_);
        if (!running_.empty()) {
            waiting_.push_back({last_, std::move(action)});
            return;
        }
    }
    action();
}

void InFlight::wait() {
    Lock lock(mutex_);
    const std::uint64_t last = last_;
    changed_.wait(lock, [&]() ZETL_REQUIRES(mutex_) { return doneUpTo(last) && acting_ == 0; });
}

}  // namespace zetl::emulator::driver
