#include "emulator/driver/execution/signal_state.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <ctime>

namespace zetl::emulator::driver {
namespace {

constexpr std::uint64_t kNanoseconds = 1'000'000'000;
/// A sleeper looks again this often, in case the signalling process has died.
constexpr std::uint64_t kLongestSleep = kNanoseconds;

long futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value, const timespec* timeout) noexcept {
    return syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), operation, value, timeout, nullptr, 0);
}

void sleepWhilePending(std::atomic<std::uint32_t>& word, std::uint64_t nanoseconds) noexcept {
    const std::uint64_t slice = std::min(nanoseconds, kLongestSleep);
    const timespec timeout{static_cast<time_t>(slice / kNanoseconds), static_cast<long>(slice % kNanoseconds)};
    futex(word, FUTEX_WAIT, static_cast<std::uint32_t>(SignalState::Value::pending), &timeout);
}

}  // namespace

void SignalState::publish(Value value) noexcept {
    word.store(static_cast<std::uint32_t>(value), std::memory_order_release);
    futex(word, FUTEX_WAKE, std::numeric_limits<int>::max(), nullptr);
}

void SignalState::reset() noexcept {
    word.store(static_cast<std::uint32_t>(Value::pending), std::memory_order_release);
}

void SignalState::signal(Times when) noexcept {
    start.store(when.start, std::memory_order_relaxed);
    end.store(when.end, std::memory_order_relaxed);
    work.store(when.work, std::memory_order_relaxed);
    tileCount.store(when.tileCount, std::memory_order_relaxed);
    for (std::uint32_t i = 0; i < when.tileCount; ++i) {
        tiles[i].start.store(when.tiles[i].start, std::memory_order_relaxed);
        tiles[i].end.store(when.tiles[i].end, std::memory_order_relaxed);
    }
    publish(Value::signalled);
}

void SignalState::lose() noexcept { publish(Value::lost); }

SignalState::Times SignalState::times() const noexcept {
    Times times{start.load(std::memory_order_relaxed), end.load(std::memory_order_relaxed)};
    times.work = work.load(std::memory_order_relaxed);
    // Another process may have written the value.
    times.tileCount = std::min(tileCount.load(std::memory_order_relaxed), kMostTiles);
    for (std::uint32_t i = 0; i < times.tileCount; ++i)
        times.tiles[i] = {tiles[i].start.load(std::memory_order_relaxed), tiles[i].end.load(std::memory_order_relaxed)};
    return times;
}

SignalState::Value SignalState::wait(std::uint64_t nanoseconds) noexcept {
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    for (;;) {
        const Value now = value();
        if (now != Value::pending || nanoseconds == 0) return now;
        const auto passed = static_cast<std::uint64_t>((Clock::now() - begin) / std::chrono::nanoseconds(1));
        if (nanoseconds != kForever && passed >= nanoseconds) return now;
        sleepWhilePending(word, nanoseconds == kForever ? kForever : nanoseconds - passed);
    }
}

}  // namespace zetl::emulator::driver
