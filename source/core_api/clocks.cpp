// Section "clocks". Reports have times of the host's clock, on which activity places commands; the device's clock is
// read with zeDeviceGetGlobalTimestamps.
#include "provider/clocks.h"

#include <cmath>

#include "activity/device_clock.h"
#include "core_api/known_devices.h"
#include "core_api/sections.h"

namespace zetl::core_api {
namespace {

using provider::kSecond;

constexpr bool ofDevice(std::uint32_t kind) noexcept { return kind == ZETL_CLOCK_DEVICE; }

double nanosecondsATick(const KnownDevice& device) {
    return activity::nanosecondsACycle(device.properties.timerResolution);
}

std::uint32_t bitsOf(const KnownDevice& device) {
    const auto bits = device.properties.timestampValidBits;
    return bits == 0 || bits > 64 ? 64 : bits;
}

struct Moment {
    std::uint64_t host = 0;  ///< CLOCK_MONOTONIC_RAW
    std::uint64_t device = 0;
    std::uint64_t uncertainty = 0;
};

/// If no device clock is wanted, there is no uncertainty.
zetl_status_t readNow(const KnownDevice& device, bool both, Moment& now) {
    now.host = activity::hostNow();
    if (!both) return ZETL_OK;
    const auto read = known().globalTimestamps;
    if (!read || nanosecondsATick(device) <= 0) return ZETL_UNSUPPORTED;
    const auto before = now.host;
    if (read(device.handle, &now.host, &now.device) != ZE_RESULT_SUCCESS) return ZETL_LOST;
    now.uncertainty = activity::hostNow() - before;
    return ZETL_OK;
}

std::uint64_t on(std::uint32_t kind, const Moment& moment) {
    if (ofDevice(kind)) return moment.device;
    return kind == ZETL_CLOCK_HOST_REAL ? provider::realFromRaw(moment.host) : moment.host;
}

/// The distance from `from` to `to` on a clock that wraps.
double distance(std::uint64_t from, std::uint64_t to, std::uint32_t bits) {
    const auto shift = 64 - bits;
    return static_cast<double>(static_cast<std::int64_t>((to - from) << shift) >> shift);
}

std::uint64_t later(std::uint64_t time, double by) {
    return time + static_cast<std::uint64_t>(static_cast<std::int64_t>(std::llround(by)));
}

/// The moment at which `kind` reads `ticks`.
Moment at(const KnownDevice& device, const Moment& now, std::uint32_t kind, std::uint64_t ticks) {
    if (ofDevice(kind))
        return {later(now.host, distance(now.device, ticks, bitsOf(device)) * nanosecondsATick(device)), ticks, 0};
    const auto host = kind == ZETL_CLOCK_HOST_REAL ? provider::rawFromReal(ticks) : ticks;
    if (nanosecondsATick(device) <= 0) return {host, 0, 0};
    const auto since = static_cast<double>(static_cast<std::int64_t>(host - now.host)) / nanosecondsATick(device);
    const auto mask = UINT64_MAX >> (64 - bitsOf(device));
    return {host, later(now.device, since) & mask, 0};
}

class CoreClocks final : public provider::Clocks<Backend> {
  public:
    zetl_status_t describe(Device& device, std::uint32_t kind, zetl_clock_info_t& info) const override {
        const double tick = ofDevice(kind) ? nanosecondsATick(device) : 1;
        if (tick <= 0) return ZETL_UNSUPPORTED;
        info.ticks_per_second = static_cast<std::uint64_t>(std::llround(static_cast<double>(kSecond) / tick));
        info.step = 1;
        info.valid_bits = ofDevice(kind) ? bitsOf(device) : 64;
        return ZETL_OK;
    }
    zetl_status_t snapshot(Device& device, std::uint32_t a, std::uint32_t b, zetl_clock_pair_t& pair) const override {
        Moment now;
        if (const auto bad = readNow(device, ofDevice(a) || ofDevice(b), now); bad != ZETL_OK) return bad;
        pair.ticks_a = on(a, now);
        pair.ticks_b = on(b, now);
        pair.uncertainty_ns = now.uncertainty;
        return ZETL_OK;
    }
    zetl_status_t convert(Device& device, std::uint32_t from, std::uint32_t to, std::uint64_t ticks,
                          std::uint64_t& result, std::uint64_t& uncertaintyNs) const override {
        Moment now;
        if (const auto bad = readNow(device, ofDevice(from) || ofDevice(to), now); bad != ZETL_OK) return bad;
        result = on(to, at(device, now, from, ticks));
        uncertaintyNs = now.uncertainty;
        return ZETL_OK;
    }
};

}  // namespace

const zetl_clock_functions_t kClockFunctions = provider::ClockTable<CoreClocks>::kFunctions;

}  // namespace zetl::core_api
