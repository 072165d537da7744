#include "emulator/driver/execution/stream_workers.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <utility>

#include "base/log.h"
#include "base/never_destroyed.h"
#include "base/service_thread.h"
#include "emulator/driver/device/platform.h"
#include "emulator/driver/execution/endless_waits.h"
#include "emulator/driver/execution/stream.h"

namespace zetl::emulator::driver {
namespace {

constexpr std::chrono::milliseconds kIdleLife{1000};
/// Nanoseconds after which a thread that could not be started is tried again: each time twice as many.
constexpr std::uint64_t kFirstRetry = 1'000'000;
constexpr std::uint64_t kLastRetry = 500'000'000;

thread_local bool isWorker = false;

}  // namespace

StreamWorkers& StreamWorkers::instance() {
    static NeverDestroyed<StreamWorkers> workers;
    return *workers;
}

bool StreamWorkers::call(std::shared_ptr<Stream> stream) noexcept try {
    const Lock guard(mutex_);
    ready_.push_back(std::move(stream));
    if (provide()) return true;
    ready_.pop_back();
    return false;
} catch (const std::bad_alloc&) {
    log::error(log::Channel::emulator, "no host memory to hand a command queue to a thread");
    return false;
}

bool StreamWorkers::provide() noexcept {
    if (ready_.size() <= idle_ + searching_.load(std::memory_order_relaxed) || working_ >= kMostWorking) return true;
    auto thread = ServiceThread::start(log::Channel::emulator, "zetl-queue", [this] { work(); });
    if (!thread) return working_ > 0;
    thread->detach();
    ++working_;
    ++searching_;
    return true;
}

std::shared_ptr<Stream> StreamWorkers::next() noexcept {
    auto stream = std::move(ready_.front());
    ready_.pop_front();
    return stream;
}

/// Returns false if no stream called within a second, or if enough threads are idle already.
bool StreamWorkers::awaitCall(Lock& lock) {
    --searching_;
    if (!ready_.empty()) return true;
    if (idle_ >= kMostIdle) return false;
    --working_;
    ++idle_;
    const bool called = called_.wait_for(lock, kIdleLife, [this]() ZETL_REQUIRES(mutex_) { return !ready_.empty(); });
    --idle_;
    ++working_;
    return called;
}

void StreamWorkers::work() noexcept {
    isWorker = true;
    machine::Quiescence::Reader reader(platform().memory().quiescence());
    Lock lock(mutex_);
    while (awaitCall(lock)) {
        auto stream = next();
        lock.unlock();
        while (stream->serve(reader) && !handOver(stream)) continue;
        stream.reset();  // and what it held of the application's objects, without the lock
        lock.lock();
    }
    --working_;
}

/// Queues the stream behind the others that are ready. Returns false if there are none: the thread keeps the stream.
bool StreamWorkers::handOver(std::shared_ptr<Stream>& stream) noexcept try {
    const Lock guard(mutex_);
    if (ready_.empty()) return false;
    ready_.push_back(std::move(stream));
    ++searching_;
    return true;
} catch (const std::bad_alloc&) {
    return false;
}

bool StreamWorkers::leave() noexcept {
    const Lock guard(mutex_);
    --working_;
    if (ready_.empty()) return true;
    const bool served = provide();
    wake();
    return served;
}

std::shared_ptr<Stream> StreamWorkers::readyStream(std::size_t index) noexcept {
    const Lock guard(mutex_);
    return index < ready_.size() ? ready_[index] : nullptr;
}

bool StreamWorkers::replace() noexcept {
    {
        const Lock guard(mutex_);
        if (ready_.empty() || provide()) return true;
    }
    // The streams stay in the queue: the thread that takes one finds the rest of its submissions.
    for (std::size_t i = 0; const auto stream = readyStream(i); ++i) stream->helpWithAll();
    return false;
}

void StreamWorkers::resume() noexcept {
    const Lock guard(mutex_);
    ++working_;
}

StreamWorkers::Away::Away() noexcept {
    if (isWorker) replaced_ = instance().leave();
}
SignalState::Value StreamWorkers::Away::wait(SignalState& event) noexcept {
    for (auto retry = kFirstRetry; !replaced_; retry = std::min(2 * retry, kLastRetry)) {
        replaced_ = instance().replace();
        if (const auto value = event.wait(retry); value != SignalState::Value::pending) return value;
    }
    return waitFor(event, kForever);
}
StreamWorkers::Away::~Away() {
    if (isWorker) instance().resume();
}

}  // namespace zetl::emulator::driver
