// Which devices a program sees under Level Zero's own variables.
#include <dlfcn.h>
#include <level_zero/zes_ddi.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "emulated_gpu/gpu.h"
#include "support/scenario.h"

namespace zetl::test {
namespace {

std::vector<ze_device_handle_t> devicesOf(ze_driver_handle_t driver) { return listOf(zeDeviceGet, driver); }
std::vector<ze_device_handle_t> tilesOf(ze_device_handle_t device) { return listOf(zeDeviceGetSubDevices, device); }

/// Runs on a machine of two devices with two tiles each.
Process visible(const char* scenario, const char* hierarchy, const char* mask) {
    return emulated(scenario, "small-two-by-two")
        .with("ZE_FLAT_DEVICE_HIERARCHY", hierarchy)
        .with("ZE_AFFINITY_MASK", mask);
}

ze_device_properties_t propertiesOf(ze_device_handle_t device) {
    ze_device_properties_t properties{};
    properties.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
    EXPECT_OK(zeDeviceGetProperties(device, &properties));
    return properties;
}

SCENARIO(tilesAreDevices) {
    const Gpu gpu;
    const auto devices = devicesOf(gpu.driver());
    ASSERT_EQ(devices.size(), 4u);
    const auto rootOf = gpu.function<decltype(zeDeviceGetRootDevice)>("zeDeviceGetRootDevice");
    std::set<std::string> uuids;
    for (auto* device : devices) {
        EXPECT_TRUE(tilesOf(device).empty());
        ze_device_handle_t root = device;
        EXPECT_OK(rootOf(device, &root));
        EXPECT_EQ(root, nullptr);
        const auto properties = propertiesOf(device);
        EXPECT_FALSE(properties.flags & ZE_DEVICE_PROPERTY_FLAG_SUBDEVICE);
        EXPECT_EQ(properties.numSlices, 1u);
        uuids.emplace(std::begin(properties.uuid.id), std::end(properties.uuid.id));
    }
    EXPECT_EQ(uuids.size(), devices.size()) << "each device has an identity of its own";
    // And they compute.
    auto* out = gpu.shared<std::uint32_t>(8);
    const auto kernel = gpu.kernel("writeIds", 8);
    Gpu::arguments(kernel, out, std::uint32_t{2});
    const auto list = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    const ze_group_count_t one{1, 1, 1};
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &one, nullptr, 0, nullptr));
    EXPECT_EQ(out[7], 14u);
}
TEST(VisibleDevices, FlatListsTiles) { EXPECT_RUNS(visible("tilesAreDevices", "FLAT", "")); }

SCENARIO(tilesHaveRoots) {
    const Gpu gpu;
    const auto devices = devicesOf(gpu.driver());
    ASSERT_EQ(devices.size(), 4u);
    const auto rootOf = gpu.function<decltype(zeDeviceGetRootDevice)>("zeDeviceGetRootDevice");
    for (auto* device : devices) {
        ze_device_handle_t root = nullptr;
        EXPECT_OK(rootOf(device, &root));
        ASSERT_NE(root, nullptr);
        const auto tiles = tilesOf(root);
        EXPECT_NE(std::ranges::find(tiles, device), tiles.end());
    }
}
TEST(VisibleDevices, CombinedListsTilesWithRoots) { EXPECT_RUNS(visible("tilesHaveRoots", "COMBINED", "")); }

SCENARIO(oneTileIsLeft) {
    const Gpu gpu;
    const auto devices = devicesOf(gpu.driver());
    ASSERT_EQ(devices.size(), 1u);
    EXPECT_TRUE(tilesOf(devices[0]).empty());
    EXPECT_EQ(propertiesOf(devices[0]).subdeviceId, 1u);
}
TEST(VisibleDevices, MasksLeaveATile) { EXPECT_RUNS(visible("oneTileIsLeft", "COMPOSITE", "1.1")); }
TEST(VisibleDevices, FlatMasksLeaveATile) { EXPECT_RUNS(visible("oneTileIsLeft", "FLAT", "3")); }

SCENARIO(twoDevicesAreLeft) { EXPECT_EQ(devicesOf(Gpu().driver()).size(), 2u); }
TEST(VisibleDevices, MasksMayHaveBlanks) { EXPECT_RUNS(visible("twoDevicesAreLeft", "COMPOSITE", "0, 1")); }

SCENARIO(nothingIsLeft) {
    if (const auto code = zeInit(0); code != ZE_RESULT_SUCCESS) {
        EXPECT_EQ(code, ZE_RESULT_ERROR_UNINITIALIZED) << "loaders 1.20.3 to 1.25 leave out a driver without devices";
        return;
    }
    std::uint32_t count = 1;
    ze_driver_handle_t driver = nullptr;
    ASSERT_OK(zeDriverGet(&count, &driver));
    EXPECT_TRUE(devicesOf(driver).empty());
}
TEST(VisibleDevices, MasksCanHideAll) {
    const Outcome outcome = visible("nothingIsLeft", "COMPOSITE", "7").run();
    EXPECT_TRUE(outcome.good()) << outcome;
    EXPECT_NE(outcome.output.find("ZE_AFFINITY_MASK: '7'"), std::string::npos) << outcome;
}

SCENARIO(thereIsNoSuchDevice) {
    EXPECT_EQ(zeInit(0), ZE_RESULT_ERROR_UNINITIALIZED);
    std::uint32_t count = 0;
    EXPECT_NE(zeDriverGet(&count, nullptr), ZE_RESULT_SUCCESS);
    EXPECT_EQ(count, 0u);
    // Sysman is a way of its own to start the driver, which not every loader knows.
    void* driver = dlopen(inBuildTree("lib/libze_emulated_gpu.so.1").c_str(), RTLD_NOW | RTLD_LOCAL);
    const auto getTable = reinterpret_cast<zes_pfnGetGlobalProcAddrTable_t>(dlsym(driver, "zesGetGlobalProcAddrTable"));
    zes_global_dditable_t sysman{};
    ASSERT_OK(getTable(ZE_API_VERSION_CURRENT, &sysman));
    EXPECT_EQ(sysman.pfnInit(0), ZE_RESULT_ERROR_UNINITIALIZED);
}
TEST(ConfiguredDevice, AWrongNameLeavesNone) {
    const auto outcome = emulated("thereIsNoSuchDevice", "tinny").run();
    EXPECT_TRUE(outcome.good()) << outcome;
    EXPECT_NE(outcome.output.find("there is no device profile 'tinny'; known are "), std::string::npos) << outcome;
}
TEST(ConfiguredDevice, AWrongFileLeavesNone) {
    for (const char* file : {"/no/such/profile.yaml", "/dev/null", "/"}) {
        const auto outcome = emulated("thereIsNoSuchDevice", file).run();
        EXPECT_TRUE(outcome.good()) << outcome;
        EXPECT_NE(outcome.output.find("device profile " + std::string(file)), std::string::npos) << outcome;
    }
}
SCENARIO(thereIsADevice) { EXPECT_EQ(devicesOf(Gpu().driver()).size(), 1u); }
SCENARIO(isAnArcB580) {
    const Gpu gpu;
    ze_device_ip_version_ext_t version{};
    version.stype = ZE_STRUCTURE_TYPE_DEVICE_IP_VERSION_EXT;
    ze_eu_count_ext_t eus{};
    eus.stype = ZE_STRUCTURE_TYPE_EU_COUNT_EXT;
    eus.pNext = &version;
    ze_device_properties_t properties{};
    properties.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
    properties.pNext = &eus;
    ASSERT_OK(zeDeviceGetProperties(gpu.device(), &properties));
    EXPECT_EQ(properties.deviceId, 0xe20bu);
    EXPECT_EQ(version.ipVersion, 0x05004000u);
    EXPECT_EQ(eus.numTotalEUs, 160u);
    EXPECT_EQ(properties.numSlices, 5u);
    EXPECT_EQ(properties.numSubslicesPerSlice, 4u);
    EXPECT_EQ(properties.timestampValidBits, 64u);
    EXPECT_EQ(properties.kernelTimestampValidBits, 64u);
    EXPECT_EQ(properties.flags, static_cast<ze_device_property_flags_t>(ZE_DEVICE_PROPERTY_FLAG_ONDEMANDPAGING));
    ze_device_memory_properties_t memory{};
    memory.stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_PROPERTIES;
    std::uint32_t one = 1;
    ASSERT_OK(zeDeviceGetMemoryProperties(gpu.device(), &one, &memory));
    EXPECT_STREQ(memory.name, "DDR");
    EXPECT_EQ(memory.maxClockRate, 19000u);
    ze_device_memory_access_properties_t access{};
    access.stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_ACCESS_PROPERTIES;
    ASSERT_OK(zeDeviceGetMemoryAccessProperties(gpu.device(), &access));
    constexpr ze_memory_access_cap_flags_t kWithAtomics =
        ZE_MEMORY_ACCESS_CAP_FLAG_RW | ZE_MEMORY_ACCESS_CAP_FLAG_ATOMIC;
    EXPECT_EQ(access.hostAllocCapabilities, kWithAtomics);
    EXPECT_EQ(access.sharedSingleDeviceAllocCapabilities, kWithAtomics);
    ze_float_atomic_ext_properties_t atomics{};
    atomics.stype = ZE_STRUCTURE_TYPE_FLOAT_ATOMIC_EXT_PROPERTIES;
    ze_device_module_properties_t modules{};
    modules.stype = ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES;
    modules.pNext = &atomics;
    ASSERT_OK(zeDeviceGetModuleProperties(gpu.device(), &modules));
    EXPECT_EQ(atomics.fp16Flags, 0x50005u);
    EXPECT_EQ(atomics.fp64Flags, 0x70007u);
    std::uint32_t groups = 0;
    ASSERT_OK(zeDeviceGetCommandQueueGroupProperties(gpu.device(), &groups, nullptr));
    EXPECT_EQ(groups, 2u) << "one compute and one copy engine";
}
TEST(ConfiguredDevice, ArcB580) { EXPECT_RUNS(emulated("isAnArcB580", "b580")); }

SCENARIO(areOfTwoKinds) {
    const Gpu gpu;
    const auto devices = devicesOf(gpu.driver());
    ASSERT_EQ(devices.size(), 3u);
    const auto first = propertiesOf(devices[0]);
    const auto last = propertiesOf(devices[2]);
    EXPECT_EQ(first.deviceId, 0xe20bu);
    EXPECT_EQ(propertiesOf(devices[1]).deviceId, 0x64a0u);
    EXPECT_TRUE(propertiesOf(devices[1]).flags & ZE_DEVICE_PROPERTY_FLAG_INTEGRATED);
    EXPECT_EQ(last.deviceId, 0x0bd5u);
    EXPECT_EQ(tilesOf(devices[2]).size(), 2u) << "only the last two have tiles";
    EXPECT_NE(std::string(std::begin(first.uuid.id), std::end(first.uuid.id)),
              std::string(std::begin(last.uuid.id), std::end(last.uuid.id)));
}
TEST(ConfiguredDevice, SeveralKinds) {
    EXPECT_RUNS(emulated("areOfTwoKinds", "b580+lnl+small-two-by-two").with("ZE_AFFINITY_MASK", "0,1,2"));
}

TEST(ConfiguredDevice, AnEmptyNameIsTheDefault) { EXPECT_RUNS(emulated("thereIsADevice", "")); }

}  // namespace
}  // namespace zetl::test
