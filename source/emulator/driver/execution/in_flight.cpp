#include "emulator/driver/execution/in_flight.h"

#include <algorithm>

namespace zetl::emulator::driver {

InFlight& InFlight::instance() {
    static auto* const all = new InFlight;
    return *all;
}

std::uint64_t InFlight::begin() {
    std::lock_guard guard(mutex_);
    running_.insert(running_.end(), ++last_);
    return last_;
}

void InFlight::end(std::uint64_t submission) {
    std::vector<Waiting> due;
    {
        std::lock_guard guard(mutex_);
        running_.erase(submission);
        const auto first = std::stable_partition(waiting_.begin(), waiting_.end(),
                                                 [this](const Waiting& one) { return !doneUpTo(one.last); });
        due.assign(std::make_move_iterator(first), std::make_move_iterator(waiting_.end()));
        waiting_.erase(first, waiting_.end());
    }
    for (const Waiting& one : due) one.action();
    changed_.notify_all();
}

void InFlight::whenDone(std::function<void()> action) {
    {
        std::lock_guard guard(mutex_);
        if (!running_.empty()) {
            waiting_.push_back({last_, std::move(action)});
            return;
        }
    }
    action();
}

void InFlight::wait() {
    std::unique_lock lock(mutex_);
    const std::uint64_t last = last_;
    changed_.wait(lock, [&] { return doneUpTo(last); });
}

}  // namespace zetl::emulator::driver
