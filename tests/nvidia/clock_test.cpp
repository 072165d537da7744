// Host time, device time and kernel timestamps as one system.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <utility>
#include <vector>

#include "nvidia_gpu.h"
#include "support/wait_for.h"

namespace zetl::test {
namespace {

using Nanoseconds = std::int64_t;

Nanoseconds hostNow() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

struct Pair {
    std::uint64_t host = 0;
    std::uint64_t device = 0;
};

Pair pairOf(const Gpu& gpu) {
    Pair pair;
    EXPECT_OK(zeDeviceGetGlobalTimestamps(gpu.device(), &pair.host, &pair.device));
    return pair;
}

/// Between two looks at the host's clock, a kernel reads the device's; what the pair says of the host's must agree.
SCENARIO(readsBothClocksTogether) {
    const Gpu gpu;
    const auto list = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    auto* stamp = gpu.host<std::uint64_t>(1);
    Nanoseconds worst = 0;
    Nanoseconds widest = 0;
    std::uint64_t last = 0;
    for (int i = 0; i < 200; ++i) {
        const Pair pair = pairOf(gpu);
        EXPECT_GE(pair.device, last);
        last = pair.device;
        const Nanoseconds before = hostNow();
        ASSERT_OK(zeCommandListAppendWriteGlobalTimestamp(list, stamp, nullptr, 0, nullptr));
        const Nanoseconds after = hostNow();
        const auto asHost = static_cast<Nanoseconds>(*stamp - pair.device + pair.host);
        worst = std::max({worst, before - asHost, asHost - after});
        widest = std::max(widest, after - before);
        letPass(std::chrono::milliseconds(i < 100 ? 1 : 10));
    }
    std::printf("clock: a device time as host time lies at most %lld ns outside its bracket (widest %lld ns)\n",
                static_cast<long long>(worst), static_cast<long long>(widest));
    // The stand-in's threads wait for a processor like any other.
    EXPECT_LE(worst, realGpu() ? 5'000 : 50'000'000);
}
TEST(NvidiaClock, ReadsBothClocksTogether) { EXPECT_RUNS(onNvidia("readsBothClocksTogether")); }

/// A stream that has work before the kernel needs no gate: all is submitted long before its turn comes.
SCENARIO(timesKernelsBehindOthers) {
    constexpr std::uint64_t kLength = 20'000;
    constexpr std::uint32_t kLaunches = 100;
    const Gpu gpu;
    const auto kernel = ptxKernel(gpu, "spin");
    const auto pool = gpu.pool(kLaunches, ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP);
    const auto list = gpu.immediate();
    Gpu::arguments(kernel, realGpu() ? kLength : 10 * kLength);
    std::vector<ze_event_handle_t> events;
    for (std::uint32_t i = 0; i < kLaunches; ++i) {
        events.push_back(Gpu::event(pool, i));
        ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &kOneGroup, events.back(), 0, nullptr));
    }
    ASSERT_OK(gpu.synchronize(list, UINT64_MAX));
    std::uint64_t sum = 0;
    std::uint64_t last = 0;
    for (auto* event : events) {
        ze_kernel_timestamp_result_t times{};
        ASSERT_OK(zeEventQueryKernelTimestamp(event, &times));
        const auto length = times.global.kernelEnd - times.global.kernelStart;
        EXPECT_GE(length, kLength);
        EXPECT_GE(times.global.kernelEnd, last);
        last = times.global.kernelEnd;
        sum += length;
    }
    std::printf("spin of %llu ns behind others: events say %llu ns on average\n",
                static_cast<unsigned long long>(kLength), static_cast<unsigned long long>(sum / kLaunches));
    if (realGpu()) {
        EXPECT_LE(sum / kLaunches, kLength + 5'000);
    } else {
        EXPECT_LT(standInCalls("cuStreamWaitValue32_v2"), kLaunches * 3 / 4);
    }
}
TEST(NvidiaClock, TimesKernelsBehindOthersWithoutAGate) { EXPECT_RUNS(onNvidia("timesKernelsBehindOthers")); }

SCENARIO(timesKernels) {
    constexpr std::uint64_t kLong = 2'000'000;
    const Gpu gpu;
    const auto kernel = ptxKernel(gpu, "spin");
    const auto event = Gpu::event(gpu.pool(1, ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP));
    const auto list = gpu.immediate();
    auto* stamps = gpu.host<std::uint64_t>(2);
    for (const std::uint64_t length : {kLong, kLong / 100}) {
        Gpu::arguments(kernel, length);
        ze_kernel_timestamp_result_t times{};
        ASSERT_OK(zeCommandListAppendWriteGlobalTimestamp(list, stamps, nullptr, 0, nullptr));
        ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &kOneGroup, event, 0, nullptr));
        ASSERT_OK(zeCommandListAppendWriteGlobalTimestamp(list, stamps + 1, nullptr, 0, nullptr));
        ASSERT_OK(gpu.synchronize(list, UINT64_MAX));
        ASSERT_OK(zeEventQueryKernelTimestamp(event, &times));
        const auto spent = times.global.kernelEnd - times.global.kernelStart;
        std::printf(
            "spin of %llu ns: event says %llu ns; start %lld ns after the reading before, end %lld ns before "
            "the one behind\n",
            static_cast<unsigned long long>(length), static_cast<unsigned long long>(spent),
            static_cast<long long>(times.global.kernelStart - stamps[0]),
            static_cast<long long>(stamps[1] - times.global.kernelEnd));
        EXPECT_GE(spent, length);
        // The event lies between readings of the same clock, but for what both are uncertain by.
        const Nanoseconds uncertainty = realGpu() ? 5'000 : 50'000'000;
        EXPECT_GE(static_cast<Nanoseconds>(times.global.kernelStart - stamps[0]), -uncertainty);
        EXPECT_GE(static_cast<Nanoseconds>(stamps[1] - times.global.kernelEnd), -uncertainty);
        EXPECT_LE(spent, length + (realGpu() ? 8'000u : 1'000'000'000u));
        ASSERT_OK(zeEventHostReset(event));
        EXPECT_EQ(zeEventQueryKernelTimestamp(event, &times), ZE_RESULT_NOT_READY);
    }
    const auto plain = Gpu::event(gpu.pool(1));
    ze_kernel_timestamp_result_t times{};
    EXPECT_EQ(zeEventQueryKernelTimestamp(plain, &times), ZE_RESULT_ERROR_INVALID_ARGUMENT);
}
TEST(NvidiaClock, TimesKernels) { EXPECT_RUNS(onNvidia("timesKernels")); }

/// A list reads the times of its own launches, into memory of the device and of the host.
SCENARIO(readsTimesInLists) {
    using Times = ze_kernel_timestamp_result_t;
    const Gpu gpu;
    const auto kernel = ptxKernel(gpu, "spin");
    const auto pool = gpu.pool(2, ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP);
    ze_event_handle_t events[] = {Gpu::event(pool, 0), Gpu::event(pool, 1)};
    const std::uint64_t length = 100'000;
    Gpu::arguments(kernel, length);
    auto* const onDevice = gpu.device(4 * sizeof(Times) / sizeof(int));
    auto* const onHost = gpu.host<Times>(4);
    const auto done = Gpu::event(gpu.pool(1));
    const auto list = gpu.list();
    for (auto* const event : events)
        ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &kOneGroup, event, 0, nullptr));
    const std::size_t offsets[] = {2 * sizeof(Times), 0};
    ASSERT_OK(zeCommandListAppendQueryKernelTimestamps(list, 2, events, onDevice, offsets, nullptr, 0, nullptr));
    ASSERT_OK(zeCommandListAppendMemoryCopy(list, onHost, onDevice, 3 * sizeof(Times), nullptr, 0, nullptr));
    ASSERT_OK(zeCommandListAppendQueryKernelTimestamps(list, 1, events, onHost + 3, nullptr, done, 0, nullptr));
    for (int i = 0; i < 2; ++i) {
        ASSERT_OK(gpu.run(list));
        EXPECT_OK(zeEventQueryStatus(done));
        for (const auto& [place, event] : {std::pair{2, 0}, {0, 1}, {3, 0}}) {
            Times times{};
            ASSERT_OK(zeEventQueryKernelTimestamp(events[event], &times));
            EXPECT_EQ(onHost[place].global.kernelStart, times.global.kernelStart) << place;
            EXPECT_EQ(onHost[place].context.kernelEnd, times.context.kernelEnd) << place;
            EXPECT_GE(times.global.kernelEnd - times.global.kernelStart, length);
        }
    }
    ze_event_handle_t plain = Gpu::event(gpu.pool(1));
    EXPECT_EQ(zeCommandListAppendQueryKernelTimestamps(list, 1, &plain, onHost, nullptr, nullptr, 0, nullptr),
              ZE_RESULT_ERROR_INVALID_ARGUMENT);
}
TEST(NvidiaClock, ReadsTimesInLists) { EXPECT_RUNS(onNvidia("readsTimesInLists")); }

}  // namespace
}  // namespace zetl::test
