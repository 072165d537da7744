// Section "clocks". The counters' clock is the device's with its own width; both follow the host's CLOCK_MONOTONIC_RAW
// exactly.
#include "emulator/access/device_ref.h"
#include "emulator/access/sections.h"
#include "provider/clock_kind.h"
#include "provider/filled.h"

namespace zetl::emulator::access {
namespace {

using provider::isClock;
using provider::kSecond;
using provider::ofDevice;

machine::TickWidth widthOf(driver::Device& device, std::uint32_t kind) {
    if (kind == ZETL_CLOCK_DEVICE) return device.profile().timestampWidth();
    return kind == ZETL_CLOCK_COUNTERS ? device.profile().reportTimeWidth() : machine::TickWidth{};
}

/// Converts a value of a host clock to the raw host nanoseconds from which the device clock is made, and back.
std::uint64_t toRaw(std::uint32_t kind, std::uint64_t ticks) {
    return kind == ZETL_CLOCK_HOST_REAL ? provider::rawFromReal(ticks) : ticks;
}
std::uint64_t fromRaw(std::uint32_t kind, std::uint64_t nanoseconds) {
    return kind == ZETL_CLOCK_HOST_REAL ? provider::realFromRaw(nanoseconds) : nanoseconds;
}

std::uint64_t uncertainty(const machine::Clock& clock) { return kSecond / clock.hz() + 1; }

zetl_status_t describe(zetl_device_t id, std::uint32_t kind, zetl_clock_info_t* info) noexcept {
    return guarded([&] {
        auto* const device = deviceOf(id);
        if (!device) return ZETL_GONE;
        if (!provider::canBeFilled(info) || !isClock(kind)) return ZETL_MISUSE;
        *info = {.size = sizeof *info,
                 .kind = kind,
                 .ticks_per_second = ofDevice(kind) ? device->profile().timerHz : kSecond,
                 .step = 1,
                 .valid_bits = widthOf(*device, kind).bits,
                 .reserved = 0};
        return ZETL_OK;
    });
}

zetl_status_t snapshot(zetl_device_t id, std::uint32_t a, std::uint32_t b, zetl_clock_pair_t* pair) noexcept {
    return guarded([&] {
        auto* const device = deviceOf(id);
        if (!device) return ZETL_GONE;
        if (!pair || !isClock(a) || !isClock(b)) return ZETL_MISUSE;
        auto& clock = device->machine().clock();
        const auto now = clock.correlate();
        const auto value = [&](std::uint32_t kind) {
            return ofDevice(kind) ? widthOf(*device, kind).cut(now.device) : fromRaw(kind, now.host);
        };
        *pair = {.size = sizeof *pair,
                 .reserved = 0,
                 .ticks_a = value(a),
                 .ticks_b = value(b),
                 .uncertainty_ns = uncertainty(clock)};
        return ZETL_OK;
    });
}

/// The uncut tick of the device's clock for a value of any clock.
std::uint64_t tickOf(driver::Device& device, std::uint32_t kind, std::uint64_t value) {
    const auto& clock = device.machine().clock();
    return ofDevice(kind) ? widthOf(device, kind).nearest(value, clock.peek()) : clock.at(toRaw(kind, value));
}

std::uint64_t converted(driver::Device& device, std::uint32_t from, std::uint32_t to, std::uint64_t value) {
    if (!ofDevice(from) && !ofDevice(to)) return fromRaw(to, toRaw(from, value));
    const auto tick = tickOf(device, from, value);
    return ofDevice(to) ? widthOf(device, to).cut(tick) : fromRaw(to, device.machine().clock().hostAt(tick));
}

zetl_status_t convert(zetl_device_t id, std::uint32_t from, std::uint32_t to, std::uint64_t ticks,
                      std::uint64_t* result, std::uint64_t* uncertaintyNs) noexcept {
    return guarded([&] {
        auto* const device = deviceOf(id);
        if (!device) return ZETL_GONE;
        if (!result || !uncertaintyNs || !isClock(from) || !isClock(to)) return ZETL_MISUSE;
        *result = converted(*device, from, to, ticks);
        *uncertaintyNs = uncertainty(device->machine().clock());
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

}  // namespace zetl::emulator::access
