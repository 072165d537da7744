// Several of NVIDIA's GPUs in one process: two that stand in, or those of the machine.
#include <cstdio>
#include <cstring>
#include <vector>

#include "nvidia_gpu.h"

namespace zetl::test {
namespace {

constexpr std::uint32_t kCount = 64;

std::vector<ze_device_handle_t> devicesOf(const Gpu& gpu) {
    std::uint32_t count = 0;
    EXPECT_OK(zeDeviceGet(gpu.driver(), &count, nullptr));
    std::vector<ze_device_handle_t> all(count);
    EXPECT_OK(zeDeviceGet(gpu.driver(), &count, all.data()));
    return all;
}

ze_device_properties_t propertiesOf(ze_device_handle_t device) {
    ze_device_properties_t properties{};
    properties.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
    EXPECT_OK(zeDeviceGetProperties(device, &properties));
    return properties;
}

/// Words of the first device are filled there, changed by a kernel of the second, and read by the first, each waiting
/// for the one before.
void passMemoryOn(const Gpu& first, const Gpu& second) {
    const auto pool = first.pool(3);
    const ze_event_handle_t events[] = {Gpu::event(pool, 0), Gpu::event(pool, 1), Gpu::event(pool, 2)};
    auto* const data = first.device<std::uint32_t>(kCount);
    auto* const copy = second.device<std::uint32_t>(kCount);
    const auto onFirst = first.immediate();
    const auto onSecond = second.immediate();
    const auto kernel = ptxKernel(second, "add", kCount);
    Gpu::arguments(kernel, data, std::uint32_t{3});
    EXPECT_EQ(zeCommandListAppendLaunchKernel(onFirst, kernel, &kOneGroup, nullptr, 0, nullptr),
              ZE_RESULT_ERROR_INVALID_ARGUMENT)
        << "the kernel is of the other device";
    const std::uint32_t five = 5;
    ASSERT_OK(
        zeCommandListAppendMemoryFill(onFirst, data, &five, sizeof five, kCount * sizeof five, events[0], 0, nullptr));
    auto waited = events[0];
    ASSERT_OK(zeCommandListAppendLaunchKernel(onSecond, kernel, &kOneGroup, events[1], 1, &waited));
    ASSERT_OK(zeCommandListAppendMemoryCopy(onSecond, copy, data, kCount * sizeof *data, events[2], 0, nullptr));
    std::vector<std::uint32_t> read(2 * kCount);
    ze_event_handle_t both[] = {events[1], events[2]};
    ASSERT_OK(zeCommandListAppendMemoryCopy(onFirst, read.data(), data, kCount * sizeof *data, nullptr, 2, both));
    ASSERT_OK(first.synchronize(onFirst, UINT64_MAX));
    ASSERT_OK(zeCommandListAppendMemoryCopy(onSecond, &read[kCount], copy, kCount * sizeof *copy, nullptr, 0, nullptr));
    ASSERT_OK(second.synchronize(onSecond, UINT64_MAX));
    EXPECT_EQ(read, std::vector<std::uint32_t>(2 * kCount, 8));
}

SCENARIO(passesMemoryOn) {
    const Gpu gpu;
    const auto all = devicesOf(gpu);
    if (!realGpu()) {
        EXPECT_EQ(all.size(), 2u);
    }
    for (std::size_t i = 1; i < all.size(); ++i) {
        EXPECT_NE(std::memcmp(propertiesOf(all[0]).uuid.id, propertiesOf(all[i]).uuid.id, ZE_MAX_DEVICE_UUID_SIZE), 0);
        ze_bool_t reaches = false;
        ASSERT_OK(zeDeviceCanAccessPeer(all[i], all[0], &reaches));
        std::printf("device %zu %s the memory of device 0\n", i, reaches ? "reaches" : "does not reach");
        if (reaches) passMemoryOn(gpu, gpu.on(all[i]));
    }
}
TEST(NvidiaDevices, ReachEachOthersMemory) { EXPECT_RUNS(onNvidia("passesMemoryOn").with("STAND_IN_DEVICES", "2")); }

}  // namespace
}  // namespace zetl::test
