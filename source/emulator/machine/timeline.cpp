#include "emulator/machine/timeline.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <exception>
#include <utility>

#include "base/log.h"
#include "base/mutex.h"
#include "base/service_thread.h"
#include "emulator/machine/machine.h"

namespace zetl::emulator::machine {
namespace {

constexpr std::uint64_t kShortestPeriod = 50'000;  // nanoseconds; below it the host's timers decide
constexpr std::size_t kMostMoments = 4096;         // of one reading
constexpr std::uint64_t kNanosecondsInSecond = 1'000'000'000;

std::uint64_t periodTicks(std::uint64_t nanoseconds, std::uint64_t hz) noexcept {
    __extension__ using Wide = unsigned __int128;
    const Wide ticks =
        (Wide{std::max(nanoseconds, kShortestPeriod)} * hz + kNanosecondsInSecond / 2) / kNanosecondsInSecond;
    return std::max<std::uint64_t>(static_cast<std::uint64_t>(ticks), 1);
}

}  // namespace

struct Timeline::State {
    State(Tile& sampled, std::uint64_t nanoseconds, std::size_t most, Counters given)
        : tile(sampled),
          counters(given ? std::move(given) : [&sampled](std::uint64_t) { return sampled.countersSoFar(); }),
          clock(sampled.device().clock()),
          ticks(periodTicks(nanoseconds, clock.hz())),
          capacity(std::max<std::size_t>(most, 1)),
          grid(counters(clock.peek()), ticks) {}

    // With the mutex held, so that readings follow each other in time.
    void dropOldest() ZETL_REQUIRES(mutex) {
        const Sample& oldest = ring.front();
        if (loss.samples++ == 0) loss.begin = oldest.snapshot.timestamp;
        loss.markers += oldest.marker;
        loss.end = oldest.snapshot.timestamp;
        reference = oldest;
        ring.pop_front();
    }
    /// What is due but would not stay in the ring anyhow, so that a long sleep costs no more than a full ring.
    void skipHopeless(std::uint64_t now) ZETL_REQUIRES(mutex) {
        const std::uint64_t due = grid.due(now);
        if (due <= capacity) return;
        while (!ring.empty()) dropOldest();
        if (loss.samples == 0) loss.begin = grid.next();
        loss.samples += due - capacity;
        grid.skip(due - capacity);
        loss.end = grid.next() - ticks;
    }
    /// What settled since the last reading comes with its own times, before what there is now.
    Snapshot read() ZETL_REQUIRES(mutex) {
        Snapshot now = readOnce();
        for (std::size_t times = 0; now.more && times < kMostMoments; ++times) now = readOnce();
        return now;
    }
    Snapshot readOnce() ZETL_REQUIRES(mutex) {
        const Snapshot now = counters(lastTime);
        if (now.timestamp < lastTime) return now;  // of several processes, each settles at its own times
        lastTime = now.timestamp;
        skipHopeless(now.timestamp);
        grid.read(now, ring);
        while (ring.size() > capacity) dropOldest();
        return now;
    }
    void restart() ZETL_REQUIRES(mutex) {
        Snapshot now = counters(clock.peek());
        now.more = false;
        lastTime = now.timestamp = std::max(now.timestamp, clock.peek());
        grid = SampleGrid(now, ticks);
        ring.clear();
        loss = {};
        reference = {now};
    }

    /// Returns false if it cannot be done now, because memory ran out. What is due stays due.
    bool tryToRead() noexcept ZETL_REQUIRES(mutex) {
        try {
            read();
            return true;
        } catch (const std::exception&) {
            return false;
        }
    }
    std::chrono::nanoseconds untilNext() const noexcept ZETL_REQUIRES(mutex) {
        const std::uint64_t now = clock.peek();
        return std::chrono::nanoseconds(now < grid.next() ? clock.nanoseconds(grid.next() - now) + 1 : 0);
    }
    void run() {
        Lock lock(mutex);
        while (!stopping) {
            const bool failed = untilNext().count() == 0 && !tryToRead();
            // Samples that stay due wait for the model.
            const bool waits = failed || untilNext().count() == 0;
            const auto rest = waits ? std::chrono::nanoseconds(clock.nanoseconds(ticks)) : untilNext();
            wake.wait_for(lock, rest, [this]() ZETL_REQUIRES(mutex) { return stopping; });
        }
    }

    Tile& tile;
    const Counters counters;
    Clock& clock;
    const std::uint64_t ticks;
    const std::size_t capacity;
    Mutex mutex;
    Condition wake;
    SampleGrid grid ZETL_GUARDED_BY(mutex);
    std::deque<Sample> ring ZETL_GUARDED_BY(mutex);
    Sample reference ZETL_GUARDED_BY(mutex);  ///< the newest that left the ring
    SampleLoss loss ZETL_GUARDED_BY(mutex);
    std::uint64_t lastTime ZETL_GUARDED_BY(mutex) = 0;  ///< of the last reading
    bool stopping ZETL_GUARDED_BY(mutex) = false;
    ServiceThread thread;
};

std::uint64_t Timeline::periodOf(Tile& tile, std::uint64_t nanoseconds) noexcept {
    const std::uint64_t hz = tile.device().clock().hz();
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((Wide{periodTicks(nanoseconds, hz)} * kNanosecondsInSecond + hz / 2) / hz);
}

Timeline::Timeline(Tile& tile, std::uint64_t periodNanoseconds, std::size_t capacity, Counters counters)
    : state_(std::make_unique<State>(tile, periodNanoseconds, capacity, std::move(counters))) {
    restart();
    if (auto thread = ServiceThread::start(log::Channel::emulator, "zetl-sampler",
                                           [state = state_.get()]() noexcept { state->run(); }))
        state_->thread = *std::move(thread);
    else
        log::warn(log::Channel::emulator, "the counters are read when reports are, and interpolated");
}

Timeline::~Timeline() {
    {
        const Lock guard(state_->mutex);
        state_->stopping = true;
    }
    state_->wake.notify_one();
    if (state_->thread.joinable()) state_->thread.join();
}

std::uint64_t Timeline::period() const noexcept {
    return periodOf(state_->tile, state_->clock.nanoseconds(state_->ticks));
}

void Timeline::restart() {
    const Lock guard(state_->mutex);
    state_->restart();
}

std::size_t Timeline::pending() const {
    const Lock guard(state_->mutex);
    const std::uint64_t due = state_->grid.due(state_->clock.peek());
    return static_cast<std::size_t>(std::min<std::uint64_t>(state_->ring.size() + due, state_->capacity));
}

std::vector<Sample> Timeline::drain(std::size_t most, SampleLoss* loss) {
    const Lock guard(state_->mutex);
    state_->read();
    auto& ring = state_->ring;
    std::vector<Sample> samples;
    samples.reserve(std::min(most, ring.size() + 1));
    if (most > 1 && !ring.empty() && ring.front().marker) {
        samples.push_back(state_->reference);
        samples.front().marker = false;
        samples.front().value = 0;
    }
    const auto count = static_cast<std::ptrdiff_t>(std::min(most - std::min(most, samples.size()), ring.size()));
    samples.insert(samples.end(), ring.begin(), ring.begin() + count);
    ring.erase(ring.begin(), ring.begin() + count);
    if (!samples.empty()) state_->reference = samples.back();
    if (loss != nullptr) *loss = std::exchange(state_->loss, {});
    return samples;
}

void Timeline::mark(std::uint32_t value) {
    const Lock guard(state_->mutex);
    const Snapshot now = state_->read();
    state_->ring.push_back({now, true, false, value});
    if (state_->ring.size() > state_->capacity) state_->dropOldest();
}

}  // namespace zetl::emulator::machine
