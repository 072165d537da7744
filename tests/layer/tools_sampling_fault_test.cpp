// Sampled kernels that do not end, or end badly: through the stock loader, without any layer.
#include "counted_work.h"
#include "driver_gpu.h"
#include "measured_gpu.h"
#include "stream.h"
#include "support/scenario.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::test {
namespace {

constexpr std::uint32_t kEveryPeriod = 20'000;  // nanoseconds

std::uint64_t samplesOf(const std::vector<Row>& rows) {
    std::uint64_t sum = 0;
    for (const auto& row : rows)
        for (const auto& [name, value] : row)
            if (name != "IP") sum += value.value.ui64;
    return sum;
}

/// While it runs there is no sample of it, and nobody waits for one; once it has ended they are there, for a streamer
/// that was opened meanwhile, too.
SCENARIO(anEndlessKernelHoldsNobodyUp) {
    const Gpu gpu;
    auto* const stalls = group(gpu, "EuStallSampling", kTimeBased);
    activate(gpu, stalls);
    auto* const stop = gpu.shared(1);
    *stop = 0;
    const auto kernel = gpu.kernel("spin", 8);
    Gpu::arguments(kernel, stop);
    const auto list = gpu.immediate();
    const auto begun = Gpu::event(gpu.pool(1));
    {
        Stream first(gpu, stalls, 1, kEveryPeriod);
        ASSERT_OK(zeCommandListAppendSignalEvent(list, begun));
        ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &kOneGroup, nullptr, 0, nullptr));
        ASSERT_OK(zeEventHostSynchronize(begun, UINT64_MAX));
        EXPECT_OK(first.read());
    }
    Stream second(gpu, stalls, 1, kEveryPeriod);
    EXPECT_OK(second.read());
    EXPECT_EQ(gpu.synchronize(list, 0), ZE_RESULT_NOT_READY) << "it runs";
    *static_cast<volatile int*>(stop) = 1;
    ASSERT_OK(gpu.synchronize(list, UINT64_MAX));
    ASSERT_OK(second.read());
    EXPECT_GT(samplesOf(second.rows()), 0u);
}
TEST(SamplingFaults, AnEndlessKernelHoldsNobodyUp) { EXPECT_RUNS(measured("anEndlessKernelHoldsNobodyUp")); }

/// A kernel ends in a fault and its queue is lost: the streamer works on, and sees what comes afterwards.
SCENARIO(anAbortedKernelLeavesTheStreamer) {
    const Gpu gpu;
    auto* const stalls = group(gpu, "EuStallSampling", kTimeBased);
    activate(gpu, stalls);
    Stream stream(gpu, stalls, 1, kEveryPeriod);
    const auto kernel = gpu.kernel("store");
    Gpu::arguments(kernel, gpu.device(4), std::int64_t{1} << 40);
    const auto list = gpu.immediate();
    const ze_group_count_t groups{64, 1, 1};
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &groups, nullptr, 0, nullptr));
    EXPECT_EQ(gpu.synchronize(list, UINT64_MAX), ZE_RESULT_ERROR_DEVICE_LOST);
    EXPECT_OK(stream.read());
    const auto before = stream.raw().empty() ? 0 : samplesOf(stream.rows());
    CountedWork(gpu).launch(64);
    ASSERT_OK(stream.read());
    EXPECT_GT(samplesOf(stream.rows()), before);
}
TEST(SamplingFaults, AnAbortedKernelLeavesTheStreamer) { EXPECT_RUNS(measured("anAbortedKernelLeavesTheStreamer")); }

}  // namespace
}  // namespace zetl::test
