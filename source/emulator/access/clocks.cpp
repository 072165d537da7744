// Section "clocks". The counters' clock is the device's with its own width; both follow the host's CLOCK_MONOTONIC_RAW
// exactly.
#include "provider/clocks.h"

#include "emulator/access/device_ref.h"
#include "emulator/access/sections.h"

namespace zetl::emulator::access {
namespace {

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

class EmulatedClocks final : public provider::Clocks<Backend> {
  public:
    zetl_status_t describe(Device& device, std::uint32_t kind, zetl_clock_info_t& info) const override {
        info.ticks_per_second = ofDevice(kind) ? device.profile().timerHz : kSecond;
        info.step = 1;
        info.valid_bits = widthOf(device, kind).bits;
        return ZETL_OK;
    }
    zetl_status_t snapshot(Device& device, std::uint32_t a, std::uint32_t b, zetl_clock_pair_t& pair) const override {
        auto& clock = device.machine().clock();
        const auto now = clock.correlate();
        const auto value = [&](std::uint32_t kind) {
            return ofDevice(kind) ? widthOf(device, kind).cut(now.device) : fromRaw(kind, now.host);
        };
        pair.ticks_a = value(a);
        pair.ticks_b = value(b);
        pair.uncertainty_ns = uncertainty(clock);
        return ZETL_OK;
    }
    zetl_status_t convert(Device& device, std::uint32_t from, std::uint32_t to, std::uint64_t ticks,
                          std::uint64_t& result, std::uint64_t& uncertaintyNs) const override {
        result = converted(device, from, to, ticks);
        uncertaintyNs = uncertainty(device.machine().clock());
        return ZETL_OK;
    }
};

}  // namespace

const zetl_clock_functions_t kClockFunctions = provider::ClockTable<EmulatedClocks>::kFunctions;

}  // namespace zetl::emulator::access
