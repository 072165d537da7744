// Lists, queues, copies and kernels on the emulated GPU, through the stock loader.
#include <numeric>

#include "emulated_gpu/gpu.h"
#include "support/scenario.h"

namespace zetl::test {
namespace {

constexpr int kItems = 256;

void fillInputs(int* a, int* b) {
    for (int i = 0; i < kItems; ++i) {
        a[i] = i;
        b[i] = 1000 * i;
    }
}

void expectSums(const int* c) {
    for (int i = 0; i < kItems; ++i) ASSERT_EQ(c[i], 1001 * i) << "item " << i;
}

SCENARIO(addsThroughAQueue) {
    const Gpu gpu;
    int a[kItems];
    int b[kItems];
    int c[kItems] = {};
    fillInputs(a, b);
    auto* onDevice = gpu.device(kItems);
    auto* shared = gpu.shared(kItems);
    auto* onHost = gpu.host(kItems);
    std::copy(b, b + kItems, shared);
    const auto kernel = gpu.kernel("add", 64);
    Gpu::arguments(kernel, onDevice, shared, onHost);
    const auto list = gpu.list();
    ASSERT_OK(zeCommandListAppendMemoryCopy(list, onDevice, a, sizeof a, nullptr, 0, nullptr));
    ASSERT_OK(zeCommandListAppendBarrier(list, nullptr, 0, nullptr));
    const ze_group_count_t groups{kItems / 64, 1, 1};
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &groups, nullptr, 0, nullptr));
    ASSERT_OK(zeCommandListAppendMemoryCopy(list, c, onHost, sizeof c, nullptr, 0, nullptr));
    ASSERT_OK(gpu.run(list));
    expectSums(onHost);
    expectSums(c);
    // The closed list runs again, with what its memory holds now.
    std::fill(shared, shared + kItems, 5);
    ASSERT_OK(gpu.run(list));
    EXPECT_EQ(c[7], 12);
}
TEST(Execution, AddsThroughAQueue) { EXPECT_RUNS(emulated("addsThroughAQueue")); }
TEST(Execution, AddsOnAFullStack) { EXPECT_RUNS(emulated("addsThroughAQueue", "max1550")); }
TEST(Execution, AddsBehindTheLoadersIntercept) {
    EXPECT_RUNS(emulated("addsThroughAQueue").with("ZE_ENABLE_LOADER_INTERCEPT", "1"));
}

SCENARIO(immediateListsComplete) {
    const Gpu gpu;
    const auto kernel = gpu.kernel("writeIds", 32);
    for (const auto mode : {ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS})
        for (const ze_command_queue_flags_t flags :
             {ze_command_queue_flags_t{0}, ze_command_queue_flags_t{ZE_BIT(1)}}) {
            auto* out = gpu.shared<std::uint32_t>(128);
            const auto list = gpu.immediate(mode, flags);
            Gpu::arguments(kernel, out, std::uint32_t{3});
            const ze_group_count_t groups{4, 1, 1};
            ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &groups, nullptr, 0, nullptr));
            if (mode == ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS) {
                ASSERT_OK(gpu.synchronize(list, UINT64_MAX));
            }
            for (std::uint32_t i = 0; i < 128; ++i) ASSERT_EQ(out[i], 3 * i);
        }
}
TEST(Execution, ImmediateListsComplete) { EXPECT_RUNS(emulated("immediateListsComplete")); }

SCENARIO(appendReturnsWhileTheKernelRuns) {
    const Gpu gpu;
    auto* stop = gpu.shared(1);
    *stop = 0;
    const auto kernel = gpu.kernel("spin");
    Gpu::arguments(kernel, stop);
    const auto list = gpu.immediate();
    const auto event = Gpu::event(gpu.pool(1));
    const ze_group_count_t one{1, 1, 1};
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &one, event, 0, nullptr));
    EXPECT_EQ(zeEventQueryStatus(event), ZE_RESULT_NOT_READY);
    EXPECT_EQ(zeEventHostSynchronize(event, 20'000'000), ZE_RESULT_NOT_READY);
    EXPECT_EQ(gpu.synchronize(list, 0), ZE_RESULT_NOT_READY);
    // Another list is not held up by it.
    auto* other = gpu.shared(1);
    const auto second = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    const int pattern = 9;
    ASSERT_OK(
        zeCommandListAppendMemoryFill(second, other, &pattern, sizeof pattern, sizeof pattern, nullptr, 0, nullptr));
    EXPECT_EQ(*other, 9);
    *stop = 1;
    EXPECT_OK(zeEventHostSynchronize(event, UINT64_MAX));
    EXPECT_OK(gpu.synchronize(list, UINT64_MAX));
}
TEST(Execution, AppendReturnsWhileTheKernelRuns) { EXPECT_RUNS(emulated("appendReturnsWhileTheKernelRuns")); }

SCENARIO(localMemoryAndBarriersWork) {
    const Gpu gpu;
    auto* data = gpu.shared(128);
    std::iota(data, data + 128, 0);
    const auto kernel = gpu.kernel("reverse", 64);
    ASSERT_OK(zeKernelSetArgumentValue(kernel, 0, sizeof data, &data));
    ASSERT_OK(zeKernelSetArgumentValue(kernel, 1, 64 * sizeof(int), nullptr));
    const auto list = gpu.list();
    const ze_group_count_t groups{2, 1, 1};
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &groups, nullptr, 0, nullptr));
    ASSERT_OK(gpu.run(list));
    EXPECT_EQ(data[0], 63);
    EXPECT_EQ(data[63], 0);
    EXPECT_EQ(data[64], 127);
}
TEST(Execution, LocalMemoryAndBarriersWork) { EXPECT_RUNS(emulated("localMemoryAndBarriersWork")); }

SCENARIO(indirectLaunchesReadTheirCounts) {
    const Gpu gpu;
    auto* counter = gpu.shared(1);
    *counter = 0;
    auto* groups = gpu.shared<ze_group_count_t>(2);
    auto* number = gpu.shared<std::uint32_t>(1);
    const auto kernel = gpu.kernel("count");
    Gpu::arguments(kernel, counter);
    const auto list = gpu.list();
    ASSERT_OK(zeCommandListAppendLaunchKernelIndirect(list, kernel, groups, nullptr, 0, nullptr));
    ze_kernel_handle_t both[] = {kernel, kernel};
    ASSERT_OK(zeCommandListAppendLaunchMultipleKernelsIndirect(list, 2, both, number, groups, nullptr, 0, nullptr));
    groups[0] = {3, 1, 1};
    groups[1] = {10, 2, 1};
    *number = 2;
    ASSERT_OK(gpu.run(list));
    EXPECT_EQ(*counter, 3 + 3 + 20);
    groups[0] = {0, 1, 1};
    *number = 1;
    ASSERT_OK(gpu.run(list));
    EXPECT_EQ(*counter, 26) << "zero groups do nothing";
}
TEST(Execution, IndirectLaunchesReadTheirCounts) { EXPECT_RUNS(emulated("indirectLaunchesReadTheirCounts")); }

SCENARIO(printfAppearsAtSynchronization) {
    const Gpu gpu;
    const auto kernel = gpu.kernel("say");
    Gpu::arguments(kernel, 42);
    const auto list = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    const ze_group_count_t one{1, 1, 1};
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &one, nullptr, 0, nullptr));
}
TEST(Execution, PrintfAppearsAtSynchronization) {
    const Outcome outcome = emulated("printfAppearsAtSynchronization").run();
    EXPECT_TRUE(outcome.good()) << outcome;
    EXPECT_NE(outcome.output.find("number 42\n"), std::string::npos) << outcome;
}

SCENARIO(regionsAreCopied) {
    const Gpu gpu;
    constexpr std::uint32_t kPitch = 16;
    constexpr std::uint32_t kSlice = kPitch * 8;
    std::vector<std::uint8_t> from(kSlice * 4);
    std::vector<std::uint8_t> to(kSlice * 4);
    std::iota(from.begin(), from.end(), std::uint8_t{0});
    auto* middle = gpu.device<std::uint8_t>(kSlice * 4);
    const ze_copy_region_t source{2, 1, 1, 5, 3, 2};
    const ze_copy_region_t target{4, 2, 0, 5, 3, 2};
    const auto list = gpu.list();
    const std::uint8_t zero[4] = {};
    ASSERT_OK(zeCommandListAppendMemoryFill(list, middle, zero, sizeof zero, to.size(), nullptr, 0, nullptr));
    ASSERT_OK(zeCommandListAppendMemoryCopyRegion(list, middle, &target, kPitch, kSlice, from.data(), &source, kPitch,
                                                  kSlice, nullptr, 0, nullptr));
    ASSERT_OK(zeCommandListAppendMemoryCopy(list, to.data(), middle, to.size(), nullptr, 0, nullptr));
    ASSERT_OK(gpu.run(list));
    std::vector<std::uint8_t> expected(to.size());
    for (std::uint32_t z = 0; z < 2; ++z)
        for (std::uint32_t y = 0; y < 3; ++y)
            for (std::uint32_t x = 0; x < 5; ++x)
                expected[(4 + x) + (2 + y) * kPitch + z * kSlice] = from[(2 + x) + (1 + y) * kPitch + (1 + z) * kSlice];
    EXPECT_EQ(to, expected);
}
TEST(Execution, RegionsAreCopied) { EXPECT_RUNS(emulated("regionsAreCopied")); }

SCENARIO(twoDriversShareAProcess) {
    // Which of the two comes first is the loader's choice; the emulated one has the device of that name.
    for (unsigned i = 0; i < 2; ++i) {
        const Gpu gpu(i);
        ze_device_properties_t properties{};
        properties.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
        ASSERT_OK(zeDeviceGetProperties(gpu.device(), &properties));
        if (!std::string(properties.name).ends_with("(emulated)")) continue;
        auto* out = gpu.shared<std::uint32_t>(16);
        const auto kernel = gpu.kernel("writeIds", 16);
        Gpu::arguments(kernel, out, std::uint32_t{2});
        const auto list = gpu.list();
        const ze_group_count_t one{1, 1, 1};
        ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &one, nullptr, 0, nullptr));
        ASSERT_OK(gpu.run(list));
        EXPECT_EQ(out[15], 30u);
        return;
    }
    FAIL() << "no emulated device among the drivers";
}
TEST(Execution, TwoDriversShareAProcess) {
    const auto drivers =
        inBuildTree("tests/support/libze_fake_driver.so.1") + "," + inBuildTree("lib/libze_emulated_gpu.so.1");
    EXPECT_RUNS(emulated("twoDriversShareAProcess").with("ZE_ENABLE_ALT_DRIVERS", drivers));
}

}  // namespace
}  // namespace zetl::test
