// Devices are found by UUID whatever handle the loader made of them.
#include "device/devices.h"

#include <gtest/gtest.h>

#include "support/fake_core.h"

namespace zetl::device {
namespace {

namespace fake = test::fake;

TEST(Devices, HandleIsMatchedByUuid) {
    Devices devices(fake::coreCalls());
    fake::addTo(devices);
    const auto found = devices.find(fake::deviceHandle());
    ASSERT_TRUE(found);
    EXPECT_EQ((*found)->id(), fake::kDevice);
    const auto wrapped = reinterpret_cast<ze_device_handle_t>(0x9999);  // another handle of the same device
    EXPECT_EQ(*devices.find(wrapped), *found);
}

TEST(Devices, UnknownDeviceIsUnsupported) {
    Devices devices(fake::coreCalls());
    fake::addTo(devices);
    EXPECT_EQ(devices.find(fake::foreignDevice()).code(), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    EXPECT_EQ(Devices(device::CoreCalls{}).find(fake::deviceHandle()).code(), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
}

TEST(Devices, TopologyFollowsTheLevels) {
    Devices devices(fake::coreCalls());
    fake::addTo(devices);
    const auto& device = **devices.find(fake::deviceHandle());
    EXPECT_EQ(device.threads(), fake::kThreads);
    EXPECT_EQ(device.engines(), fake::kEngines);
    EXPECT_EQ(device.threadCounts(), (std::array<std::uint32_t, 4>{2, 2, 2, 2}));
}

}  // namespace
}  // namespace zetl::device
