#include "metrics/counter_clock.h"

namespace zetl::metrics {

CounterClock CounterClock::of(const device::Device& device) {
    zetl_clock_info_t info{};
    info.size = sizeof info;
    if (device.access().clocks().describe(device.id(), ZETL_CLOCK_COUNTERS, &info) != ZETL_OK) return {};
    return {info.ticks_per_second, info.valid_bits};
}

std::uint64_t CounterClock::elapsed(std::uint64_t begin, std::uint64_t end) const noexcept {
    const auto ticks = end - begin;
    return validBits >= 64 ? ticks : ticks & ((std::uint64_t{1} << validBits) - 1);
}

std::uint64_t CounterClock::nanoseconds(std::uint64_t ticks) const noexcept {
    constexpr std::uint64_t kSecond = 1'000'000'000;
    __extension__ using Wide = unsigned __int128;
    return ticksPerSecond == 0 ? 0 : static_cast<std::uint64_t>(Wide{ticks} * kSecond / ticksPerSecond);
}

}  // namespace zetl::metrics
