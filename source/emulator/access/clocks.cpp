// Section "clocks". The counters' clock is the device's; both follow the host's CLOCK_MONOTONIC_RAW exactly.
#include <ctime>

#include "emulator/access/device_ref.h"
#include "emulator/access/sections.h"

namespace zetl::emulator::access {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;

bool ofDevice(std::uint32_t kind) { return kind == ZETL_CLOCK_DEVICE || kind == ZETL_CLOCK_COUNTERS; }
bool known(std::uint32_t kind) { return kind <= ZETL_CLOCK_HOST_REAL; }

/// Nanoseconds that CLOCK_REALTIME is ahead of CLOCK_MONOTONIC_RAW now.
std::int64_t realOffset() {
    timespec real{}, raw{};
    clock_gettime(CLOCK_REALTIME, &real);
    clock_gettime(CLOCK_MONOTONIC_RAW, &raw);
    return (real.tv_sec - raw.tv_sec) * static_cast<std::int64_t>(kSecond) + (real.tv_nsec - raw.tv_nsec);
}

/// A value of any clock as raw host nanoseconds, and back.
std::uint64_t toHost(const machine::Clock& clock, std::uint32_t kind, std::uint64_t ticks) {
    if (ofDevice(kind)) return clock.nanoseconds(ticks);
    return kind == ZETL_CLOCK_HOST_REAL ? ticks - static_cast<std::uint64_t>(realOffset()) : ticks;
}
std::uint64_t fromHost(const machine::Clock& clock, std::uint32_t kind, std::uint64_t nanoseconds) {
    if (ofDevice(kind)) return clock.ticks(nanoseconds);
    return kind == ZETL_CLOCK_HOST_REAL ? nanoseconds + static_cast<std::uint64_t>(realOffset()) : nanoseconds;
}

std::uint64_t uncertainty(const machine::Clock& clock) { return kSecond / clock.hz() + 1; }

zetl_status_t describe(zetl_device_t id, std::uint32_t kind, zetl_clock_info_t* info) noexcept {
    return guarded([&] {
        auto* const device = deviceOf(id);
        if (!device) return ZETL_GONE;
        if (!info || !known(kind)) return ZETL_MISUSE;
        const bool own = ofDevice(kind);
        *info = {sizeof *info,
                 kind,
                 own ? device->profile().timerHz : kSecond,
                 1,
                 own ? device->profile().timestampValidBits : 64u,
                 0};
        return ZETL_OK;
    });
}

zetl_status_t snapshot(zetl_device_t id, std::uint32_t a, std::uint32_t b, zetl_clock_pair_t* pair) noexcept {
    return guarded([&] {
        auto* const device = deviceOf(id);
        if (!device) return ZETL_GONE;
        if (!pair || !known(a) || !known(b)) return ZETL_MISUSE;
        auto& clock = device->machine().clock();
        const auto now = clock.correlate();
        const auto value = [&](std::uint32_t kind) {
            return ofDevice(kind) ? now.device : fromHost(clock, kind, now.host);
        };
        *pair = {sizeof *pair, 0, value(a), value(b), uncertainty(clock)};
        return ZETL_OK;
    });
}

zetl_status_t convert(zetl_device_t id, std::uint32_t from, std::uint32_t to, std::uint64_t ticks,
                      std::uint64_t* result, std::uint64_t* uncertaintyNs) noexcept {
    return guarded([&] {
        auto* const device = deviceOf(id);
        if (!device) return ZETL_GONE;
        if (!result || !uncertaintyNs || !known(from) || !known(to)) return ZETL_MISUSE;
        const auto& clock = device->machine().clock();
        *result = ofDevice(from) && ofDevice(to) ? ticks : fromHost(clock, to, toHost(clock, from, ticks));
        *uncertaintyNs = uncertainty(clock);
        return ZETL_OK;
    });
}

}  // namespace

const zetl_clock_functions_t kClockFunctions = {sizeof kClockFunctions, 0, describe, snapshot, convert};

}  // namespace zetl::emulator::access
