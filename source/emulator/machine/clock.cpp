#include "emulator/machine/clock.h"

namespace zetl::emulator::machine {
namespace {

constexpr std::uint64_t kNanosecondsPerSecond = 1'000'000'000;

/// value * numerator / denominator without overflow of the product.
std::uint64_t scale(std::uint64_t value, std::uint64_t numerator, std::uint64_t denominator) noexcept {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>(Wide{value} * numerator / denominator);
}

}  // namespace

std::uint64_t Clock::ticks(std::uint64_t nanoseconds) const noexcept {
    return scale(nanoseconds, hz_, kNanosecondsPerSecond);
}

std::uint64_t Clock::nanoseconds(std::uint64_t ticks) const noexcept {
    return scale(ticks, kNanosecondsPerSecond, hz_);
}

std::uint64_t Clock::at(std::uint64_t hostNanoseconds) const noexcept {
    return ticks(hostNanoseconds + static_cast<std::uint64_t>(host_.shift));
}

std::uint64_t Clock::hostAt(std::uint64_t tick) const noexcept {
    return nanoseconds(tick) - static_cast<std::uint64_t>(host_.shift);
}

Clock::Pair Clock::correlate() noexcept {
    std::uint64_t last = last_.load(std::memory_order_relaxed);
    for (;;) {
        const std::uint64_t host = hostNow();
        const std::uint64_t now = at(host);
        if (now <= last) {
            last = last_.load(std::memory_order_relaxed);
            continue;  // the tick is taken: the next one is less than a tick away
        }
        if (last_.compare_exchange_weak(last, now, std::memory_order_acq_rel)) return {now, host};
    }
}

std::uint64_t Clock::timestamp() noexcept { return correlate().device; }

}  // namespace zetl::emulator::machine
