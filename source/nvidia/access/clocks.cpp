// Section "clocks". The device's clock is the GPU's timer; reports of counters are stamped with it, too.
#include "nvidia/access/device_ref.h"
#include "nvidia/access/sections.h"
#include "provider/clock_kind.h"
#include "provider/filled.h"

namespace zetl::nvidia::access {
namespace {

using provider::isClock;
using provider::kSecond;
using provider::ofDevice;

zetl_status_t describe(zetl_device_t id, std::uint32_t kind, zetl_clock_info_t* info) noexcept {
    return guarded([&] {
        if (!deviceOf(id)) return ZETL_GONE;
        if (!provider::canBeFilled(info) || !isClock(kind)) return ZETL_MISUSE;
        *info = {.size = sizeof *info,
                 .kind = kind,
                 .ticks_per_second = kSecond,
                 .step = ofDevice(kind) ? DeviceClock::kStep : 1,
                 .valid_bits = 64,
                 .reserved = 0};
        return ZETL_OK;
    });
}

/// What a moment of the clock pair reads on a clock.
std::uint64_t on(std::uint32_t kind, const DeviceClock::Pair& moment) {
    if (ofDevice(kind)) return moment.device;
    return kind == ZETL_CLOCK_HOST_REAL ? provider::realFromRaw(moment.host) : moment.host;
}

zetl_status_t snapshot(zetl_device_t id, std::uint32_t a, std::uint32_t b, zetl_clock_pair_t* pair) noexcept {
    return atWork([&] {
        auto* const device = deviceOf(id);
        if (!device) return ZETL_GONE;
        if (!pair || !isClock(a) || !isClock(b)) return ZETL_MISUSE;
        const auto work = device->work();
        if (!work) return ZETL_LOST;
        const auto now = (*work)->clock.now();
        if (!now) return ZETL_LOST;
        *pair = {.size = sizeof *pair,
                 .reserved = 0,
                 .ticks_a = on(a, *now),
                 .ticks_b = on(b, *now),
                 .uncertainty_ns = DeviceClock::kUncertainty};
        return ZETL_OK;
    });
}

zetl_status_t convert(zetl_device_t id, std::uint32_t from, std::uint32_t to, std::uint64_t ticks,
                      std::uint64_t* result, std::uint64_t* uncertaintyNs) noexcept {
    return atWork([&] {
        auto* const device = deviceOf(id);
        if (!device) return ZETL_GONE;
        if (!result || !uncertaintyNs || !isClock(from) || !isClock(to)) return ZETL_MISUSE;
        const auto work = device->work();
        if (!work || !(*work)->clock.now()) return ZETL_LOST;
        auto& clock = (*work)->clock;
        DeviceClock::Pair moment;
        if (ofDevice(from)) {
            moment = {clock.hostTimeOf(ticks), ticks};
        } else {
            moment.host = from == ZETL_CLOCK_HOST_REAL ? provider::rawFromReal(ticks) : ticks;
            moment.device = clock.deviceTimeOf(moment.host);
        }
        *result = on(to, moment);
        *uncertaintyNs = DeviceClock::kUncertainty;
        return ZETL_OK;
    });
}

}  // namespace

const zetl_clock_functions_t kClockFunctions = {
    .size = sizeof kClockFunctions,
    .reserved = 0,
    .describe = describe,
    .snapshot = snapshot,
    .convert = convert,
};

}  // namespace zetl::nvidia::access
