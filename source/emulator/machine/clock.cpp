#include "emulator/machine/clock.h"

namespace zetl::emulator::machine {
namespace {

constexpr uint64_t kNanosecondsPerSecond = 1'000'000'000;

/// value * numerator / denominator without overflow of the product.
uint64_t scale(uint64_t value, uint64_t numerator, uint64_t denominator) noexcept {
    __extension__ using Wide = unsigned __int128;
    return static_cast<uint64_t>(Wide{value} * numerator / denominator);
}

}  // namespace

uint64_t Clock::ticks(uint64_t nanoseconds) const noexcept { return scale(nanoseconds, hz_, kNanosecondsPerSecond); }

uint64_t Clock::nanoseconds(uint64_t ticks) const noexcept { return scale(ticks, kNanosecondsPerSecond, hz_); }

uint64_t Clock::at(uint64_t hostNanoseconds) const noexcept {
    return ticks(hostNanoseconds + static_cast<uint64_t>(host_.shift));
}

uint64_t Clock::hostAt(uint64_t tick) const noexcept { return nanoseconds(tick) - static_cast<uint64_t>(host_.shift); }

Clock::Pair Clock::correlate() noexcept {
    uint64_t last = last_.load(std::memory_order_relaxed);
    for (;;) {
        const uint64_t host = hostNow();
        const uint64_t now = at(host);
        if (now <= last) {
            last = last_.load(std::memory_order_relaxed);
            continue;  // the tick is taken: the next one is less than a tick away
        }
        if (last_.compare_exchange_weak(last, now, std::memory_order_acq_rel)) return {now, host};
    }
}

uint64_t Clock::timestamp() noexcept { return correlate().device; }

}  // namespace zetl::emulator::machine
