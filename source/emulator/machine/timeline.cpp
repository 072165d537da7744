#include "emulator/machine/timeline.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include "emulator/machine/machine.h"

namespace zetl::emulator::machine {
namespace {

constexpr uint64_t kShortestPeriod = 50'000;  // nanoseconds; below it the host's timers decide

}  // namespace

struct Timeline::State {
    State(Tile& sampled, uint64_t nanoseconds, size_t most)
        : tile(sampled), period(std::max(nanoseconds, kShortestPeriod)), capacity(std::max<size_t>(most, 1)) {}

    void add(const Sample& sample) {
        std::lock_guard guard(mutex);
        if (ring.size() == capacity) {
            ring.pop_front();
            ++lost;
        }
        ring.push_back(sample);
    }

    // Samples that are late are not made up for: a report tells its own time.
    void run() {
        auto next = std::chrono::steady_clock::now();
        std::unique_lock lock(mutex);
        for (;;) {
            next = std::max(next + std::chrono::nanoseconds(period), std::chrono::steady_clock::now());
            if (wake.wait_until(lock, next, [this] { return stopping; })) return;
            lock.unlock();
            add({tile.counters(), false, 0});
            lock.lock();
        }
    }

    Tile& tile;
    const uint64_t period;
    const size_t capacity;
    mutable std::mutex mutex;
    std::condition_variable wake;
    std::deque<Sample> ring;
    uint64_t lost = 0;
    bool stopping = false;
    std::thread thread;
};

Timeline::Timeline(Tile& tile, uint64_t periodNanoseconds, size_t capacity)
    : state_(std::make_unique<State>(tile, periodNanoseconds, capacity)) {
    state_->thread = std::thread([this] { state_->run(); });
}

Timeline::~Timeline() {
    {
        std::lock_guard guard(state_->mutex);
        state_->stopping = true;
    }
    state_->wake.notify_one();
    state_->thread.join();
}

uint64_t Timeline::period() const noexcept { return state_->period; }

size_t Timeline::pending() const {
    std::lock_guard guard(state_->mutex);
    return state_->ring.size();
}

std::vector<Sample> Timeline::drain(size_t most, uint64_t* lost) {
    std::lock_guard guard(state_->mutex);
    const size_t count = std::min(most, state_->ring.size());
    const auto last = state_->ring.begin() + static_cast<std::ptrdiff_t>(count);
    std::vector<Sample> samples(state_->ring.begin(), last);
    state_->ring.erase(state_->ring.begin(), last);
    if (lost != nullptr) *lost = std::exchange(state_->lost, 0);
    return samples;
}

void Timeline::mark(uint32_t value) { state_->add({state_->tile.counters(), true, value}); }

}  // namespace zetl::emulator::machine
