// Section "clocks". The device's clock is the GPU's timer; reports of counters are stamped with it, too.
#include "provider/clocks.h"

#include "nvidia/access/device_ref.h"
#include "nvidia/access/sections.h"

namespace zetl::nvidia::access {
namespace {

using provider::ofDevice;

/// What a moment of the clock pair reads on a clock.
std::uint64_t on(std::uint32_t kind, const DeviceClock::Pair& moment) {
    if (ofDevice(kind)) return moment.device;
    return kind == ZETL_CLOCK_HOST_REAL ? provider::realFromRaw(moment.host) : moment.host;
}

/// Runs the body with the device's clock, which has been read, and that reading.
template <class F>
zetl_status_t onClock(Device& device, F&& body) {
    if (Backend::lost()) return ZETL_LOST;
    const auto work = device.work();
    if (!work) return ZETL_LOST;
    const auto now = (*work)->clock.now();
    if (!now) return ZETL_LOST;
    body((*work)->clock, *now);
    return ZETL_OK;
}

class NvidiaClocks final : public provider::Clocks<Backend> {
  public:
    zetl_status_t describe(Device&, std::uint32_t kind, zetl_clock_info_t& info) const override {
        info.ticks_per_second = provider::kSecond;
        info.step = ofDevice(kind) ? DeviceClock::kStep : 1;
        info.valid_bits = 64;
        return ZETL_OK;
    }
    zetl_status_t snapshot(Device& device, std::uint32_t a, std::uint32_t b, zetl_clock_pair_t& pair) const override {
        return onClock(device, [&](DeviceClock&, const DeviceClock::Pair& now) {
            pair.ticks_a = on(a, now);
            pair.ticks_b = on(b, now);
            pair.uncertainty_ns = DeviceClock::kUncertainty;
        });
    }
    zetl_status_t convert(Device& device, std::uint32_t from, std::uint32_t to, std::uint64_t ticks,
                          std::uint64_t& result, std::uint64_t& uncertaintyNs) const override {
        return onClock(device, [&](DeviceClock& clock, const DeviceClock::Pair&) {
            DeviceClock::Pair moment;
            if (ofDevice(from)) {
                moment = {clock.hostTimeOf(ticks), ticks};
            } else {
                moment.host = from == ZETL_CLOCK_HOST_REAL ? provider::rawFromReal(ticks) : ticks;
                moment.device = clock.deviceTimeOf(moment.host);
            }
            result = on(to, moment);
            uncertaintyNs = DeviceClock::kUncertainty;
        });
    }
};

}  // namespace

const zetl_clock_functions_t kClockFunctions = provider::ClockTable<NvidiaClocks>::kFunctions;

}  // namespace zetl::nvidia::access
