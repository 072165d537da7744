// Devices are found by UUID whatever handle the loader made of them; the registry remembers what lives.
#include "device/devices.h"

#include <gtest/gtest.h>

#include "device/registry.h"
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

TEST(Registry, KernelKeepsItsModuleDescription) {
    Registry registry;
    const auto module = reinterpret_cast<ze_module_handle_t>(1);
    const auto kernel = reinterpret_cast<ze_kernel_handle_t>(2);
    registry.moduleCreated(module, {nullptr, nullptr, ZE_MODULE_FORMAT_IL_SPIRV, "-g"});
    registry.kernelCreated(kernel, module);
    registry.moduleDestroyed(module);
    EXPECT_FALSE(registry.module(module));
    ASSERT_TRUE(registry.moduleOf(kernel));
    EXPECT_EQ(registry.moduleOf(kernel)->buildFlags, "-g");
    registry.kernelDestroyed(kernel);
    EXPECT_FALSE(registry.moduleOf(kernel));
}

TEST(Registry, HandleThatIsGivenOutAgainIsNew) {
    Registry registry;
    const auto module = reinterpret_cast<ze_module_handle_t>(1);
    registry.moduleCreated(module, {nullptr, nullptr, ZE_MODULE_FORMAT_IL_SPIRV, "old"});
    registry.moduleCreated(module, {nullptr, nullptr, ZE_MODULE_FORMAT_NATIVE, "new"});
    EXPECT_EQ(registry.module(module)->buildFlags, "new");
}

TEST(Registry, ListsAndQueuesKnowTheirDevice) {
    Registry registry;
    const auto list = fake::listHandle();
    registry.listCreated(list, fake::deviceHandle());
    EXPECT_EQ(registry.deviceOf(list), fake::deviceHandle());
    registry.listDestroyed(list);
    EXPECT_FALSE(registry.deviceOf(list));
    const auto queue = reinterpret_cast<ze_command_queue_handle_t>(5);
    registry.queueCreated(queue, fake::deviceHandle());
    EXPECT_EQ(registry.deviceOf(queue), fake::deviceHandle());
    registry.queueDestroyed(queue);
    EXPECT_FALSE(registry.deviceOf(queue));
}

}  // namespace
}  // namespace zetl::device
