// The emulated driver as a provider of device access, asked as any program may ask it.
#include <cstring>

#include "device/access.h"
#include "device/conformance.h"
#include "device/devices.h"
#include "driver_gpu.h"
#include "support/scenario.h"

namespace zetl::test {
namespace {

const zetl_device_access_t& accessOf(const Gpu& gpu) {
    using Get = const zetl_device_access_t*(std::uint32_t);
    return *gpu.function<Get>(ZETL_DEVICE_ACCESS_FUNCTION)(ZETL_DEVICE_ACCESS_VERSION);
}

SCENARIO(deviceAccessConforms) {
    const Gpu gpu;
    for (const auto& finding : device::behaviourViolations(accessOf(gpu))) ADD_FAILURE() << finding;
    EXPECT_TRUE(device::Access::ofDriver(gpu.driver(), zeDriverGetExtensionFunctionAddress));
    using Get = const zetl_device_access_t*(std::uint32_t);
    EXPECT_EQ(gpu.function<Get>(ZETL_DEVICE_ACCESS_FUNCTION)(0), nullptr) << "there is no version 0";
}
TEST(SkeletonAccess, Conforms) { EXPECT_RUNS(emulated("deviceAccessConforms")); }
TEST(SkeletonAccess, ConformsWithTwoTiles) { EXPECT_RUNS(emulated("deviceAccessConforms", "max1550-two-tiles")); }
TEST(SkeletonAccess, ConformsWithTwoDevices) { EXPECT_RUNS(emulated("deviceAccessConforms", "two-devices")); }

SCENARIO(topologyIsTheDevices) {
    const Gpu gpu;
    device::CoreCalls core;
    core.deviceGetProperties = zeDeviceGetProperties;
    device::Devices devices(core);
    devices.add(*device::Access::adopt(&accessOf(gpu)));
    const auto found = devices.find(gpu.device());
    ASSERT_TRUE(found);
    ze_device_properties_t properties{};
    properties.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
    ASSERT_OK(zeDeviceGetProperties(gpu.device(), &properties));
    const auto counts = (*found)->threadCounts();
    EXPECT_EQ(counts[0], properties.numSlices);
    EXPECT_EQ(counts[1], properties.numSubslicesPerSlice);
    EXPECT_EQ(counts[2], properties.numEUsPerSubslice);
    EXPECT_EQ(counts[3], properties.numThreadsPerEU);
    EXPECT_STREQ((*found)->info().name, properties.name);
}
TEST(SkeletonAccess, TopologyIsTheDevices) { EXPECT_RUNS(emulated("topologyIsTheDevices")); }
TEST(SkeletonAccess, TopologyCountsTheSlicesOfAllTiles) {
    EXPECT_RUNS(emulated("topologyIsTheDevices", "max1550-two-tiles"));
}

SCENARIO(clocksAreThoseOfTheApi) {
    const Gpu gpu;
    const auto& clocks = *accessOf(gpu).clocks;
    std::uint64_t host = 0, ticks = 0;
    ASSERT_OK(zeDeviceGetGlobalTimestamps(gpu.device(), &host, &ticks));
    std::uint64_t converted = 0, uncertainty = 0;
    ASSERT_EQ(clocks.convert(1, ZETL_CLOCK_DEVICE, ZETL_CLOCK_HOST_MONOTONIC, ticks, &converted, &uncertainty),
              ZETL_OK);
    const auto distance = converted > host ? converted - host : host - converted;
    EXPECT_LE(distance, 1'000'000u) << "the pair was read within a millisecond";
    zetl_clock_pair_t first{}, second{};
    first.size = second.size = sizeof first;
    ASSERT_EQ(clocks.snapshot(1, ZETL_CLOCK_DEVICE, ZETL_CLOCK_HOST_MONOTONIC, &first), ZETL_OK);
    ASSERT_EQ(clocks.snapshot(1, ZETL_CLOCK_DEVICE, ZETL_CLOCK_HOST_MONOTONIC, &second), ZETL_OK);
    EXPECT_GT(first.ticks_a, ticks);
    EXPECT_GT(second.ticks_a, first.ticks_a);
}
TEST(SkeletonAccess, ClocksAreThoseOfTheApi) { EXPECT_RUNS(emulated("clocksAreThoseOfTheApi")); }

struct Seen {
    int binaries = 0;
    std::vector<std::uint8_t> copy;
};

SCENARIO(rewriterSeesBinariesBeforeTheyAreLoaded) {
    const Gpu gpu;
    const auto& modules = *accessOf(gpu).modules;
    Seen seen;
    const zetl_rewriter_t rewriter = [](void* user, zetl_device_t, std::uint32_t kind, const void* image,
                                        std::uint64_t bytes, std::uint64_t* newBytes) -> const void* {
        auto& mine = *static_cast<Seen*>(user);
        ++mine.binaries;
        EXPECT_EQ(kind, static_cast<std::uint32_t>(ZETL_IMAGE_ZEBIN));
        mine.copy.assign(static_cast<const std::uint8_t*>(image), static_cast<const std::uint8_t*>(image) + bytes);
        *newBytes = mine.copy.size();
        return mine.copy.data();
    };
    ASSERT_EQ(modules.rewrite_before_load(rewriter, &seen), ZETL_OK);
    const auto kernel = gpu.kernel("writeIds", 16);
    EXPECT_EQ(seen.binaries, 1);
    auto* out = gpu.shared<std::uint32_t>(16);
    Gpu::arguments(kernel, out, std::uint32_t{5});
    const auto list = gpu.list();
    const ze_group_count_t one{1, 1, 1};
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &one, nullptr, 0, nullptr));
    ASSERT_OK(gpu.run(list));
    EXPECT_EQ(out[15], 75u);
    ASSERT_EQ(modules.rewrite_before_load(nullptr, nullptr), ZETL_OK);
    gpu.module();
    EXPECT_EQ(seen.binaries, 1);
}
TEST(SkeletonAccess, RewriterSeesBinariesBeforeTheyAreLoaded) {
    EXPECT_RUNS(emulated("rewriterSeesBinariesBeforeTheyAreLoaded"));
}

}  // namespace
}  // namespace zetl::test
