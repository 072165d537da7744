// The tables keep the form of device access, and clocks are carried over as the device counts.
#include "core_api/provider.h"

#include <gtest/gtest.h>

#include "core_api/known_devices.h"
#include "device/conformance.h"

namespace zetl::core_api {
namespace {

constexpr std::uint64_t kTicksASecond = 12'500'000;  // 80 ns a tick
constexpr std::uint64_t kHost = 1'000'000'000;
constexpr std::uint64_t kTicks = 0xffff'fff0;  // 16 ticks before 32 bits wrap

ze_result_t timestamps(ze_device_handle_t, std::uint64_t* host, std::uint64_t* device) {
    *host = kHost;
    *device = kTicks;
    return ZE_RESULT_SUCCESS;
}

/// A device with two tiles; its provider knows no others in this process.
const zetl_device_access_t& access() {
    static const bool known = [] {
        KnownDevices devices{{}, timestamps};
        static int handles[3];
        for (std::uint32_t i = 0; i < 3; ++i) {
            KnownDevice device{
                reinterpret_cast<ze_device_handle_t>(&handles[i]), i == 0 ? 0u : 1u, i == 0 ? 0 : i - 1, {}};
            device.properties.uuid.id[0] = static_cast<std::uint8_t>(i + 1);
            device.properties.timerResolution = kTicksASecond;
            device.properties.timestampValidBits = 32;
            devices.all.push_back(device);
        }
        know(std::move(devices));
        return true;
    }();
    static_cast<void>(known);
    return provider();
}

TEST(CoreApiAccess, KeepsTheFormOfDeviceAccess) {
    for (const auto& finding : device::violations(&access())) ADD_FAILURE() << finding;
    for (const auto& finding : device::behaviourViolations(access())) ADD_FAILURE() << finding;
}

TEST(CoreApiAccess, CarriesTimesOverAWrap) {
    std::uint64_t time = 0;
    std::uint64_t uncertainty = 0;
    const auto convert = [&](std::uint32_t from, std::uint32_t to, std::uint64_t ticks) {
        EXPECT_EQ(access().clocks->convert(1, from, to, ticks, &time, &uncertainty), ZETL_OK);
        return time;
    };
    EXPECT_EQ(convert(ZETL_CLOCK_DEVICE, ZETL_CLOCK_COUNTERS, 4), kHost + 20 * 80);
    EXPECT_EQ(convert(ZETL_CLOCK_COUNTERS, ZETL_CLOCK_DEVICE, kHost + 20 * 80), 4u);
    EXPECT_EQ(convert(ZETL_CLOCK_DEVICE, ZETL_CLOCK_HOST_MONOTONIC, kTicks - 10), kHost - 800);
}

TEST(CoreApiAccess, WithoutALayerNothingIsCounted) {
    zetl_lease_t lease = 0;
    EXPECT_EQ(access().counters->acquire(1, ZETL_SOURCE_STREAM, &lease), ZETL_UNSUPPORTED);
    EXPECT_EQ(access().counters->acquire(9, ZETL_SOURCE_STREAM, &lease), ZETL_GONE);
}

}  // namespace
}  // namespace zetl::core_api
