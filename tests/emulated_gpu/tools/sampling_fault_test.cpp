// Sampled kernels that do not end, or end badly: through the stock loader, without any layer.
#include <chrono>
#include <vector>

#include "emulated_gpu/counted_work.h"
#include "emulated_gpu/gpu.h"
#include "emulated_gpu/measured_gpu.h"
#include "emulated_gpu/stream.h"
#include "support/scenario.h"
#include "support/wait_for.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::test {
namespace {

constexpr std::uint32_t kEveryPeriod = 20'000;  // nanoseconds

/// Of all reasons, whether or not others were lost.
std::uint64_t samplesIn(const Stream& stream, zet_metric_group_handle_t group) {
    const auto& raw = stream.raw();
    const auto calculate = [&](std::uint32_t& count, zet_typed_value_t* values) {
        const auto code =
            zetMetricGroupCalculateMetricValues(group, kMetricValues, raw.size(), raw.data(), &count, values);
        EXPECT_TRUE(code == ZE_RESULT_SUCCESS || code == ZE_RESULT_WARNING_DROPPED_DATA) << code;
    };
    std::uint32_t count = 0;
    if (!raw.empty()) calculate(count, nullptr);
    std::vector<zet_typed_value_t> values(count);
    if (count != 0) calculate(count, values.data());
    const auto columns = columnsOf(group).size();
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < count; ++i)
        if (i % columns != 0) sum += values[i].value.ui64;  // the first is the address
    return sum;
}

/// Reads until there are more samples than these, while the kernel runs.
bool moreComeThan(std::uint64_t samples, Stream& stream, zet_metric_group_handle_t group) {
    return waitFor([&] {
        const auto code = stream.read();
        EXPECT_TRUE(code == ZE_RESULT_SUCCESS || code == ZE_RESULT_WARNING_DROPPED_DATA) << code;
        return samplesIn(stream, group) > samples;
    });
}

/// Its samples come while it runs, also for a streamer that was opened meanwhile.
SCENARIO(anEndlessKernelIsSeen) {
    const Gpu gpu;
    auto* const stalls = group(gpu, "EuStallSampling", kTimeBased);
    activate(gpu, stalls);
    auto* const stop = gpu.shared(1);
    *stop = 0;
    const auto kernel = gpu.kernel("spin", 8);
    Gpu::arguments(kernel, stop);
    const auto list = gpu.immediate();
    {
        Stream first(gpu, stalls, 1, kEveryPeriod);
        ASSERT_OK(zeCommandListAppendLaunchKernel(list, kernel, &kOneGroup, nullptr, 0, nullptr));
        EXPECT_TRUE(moreComeThan(0, first, stalls));  // it began while somebody collected
    }
    Stream second(gpu, stalls, 1, kEveryPeriod);
    EXPECT_TRUE(moreComeThan(0, second, stalls));
    EXPECT_EQ(gpu.synchronize(list, 0), ZE_RESULT_NOT_READY) << "it runs";
    *static_cast<volatile int*>(stop) = 1;
    ASSERT_OK(gpu.synchronize(list, UINT64_MAX));
    const auto before = samplesIn(second, stalls);
    CountedWork(gpu).launch(4);
    EXPECT_TRUE(moreComeThan(before, second, stalls)) << "of what comes afterwards";
}
TEST(SamplingFaults, AnEndlessKernelIsSeen) { EXPECT_RUNS(measured("anEndlessKernelIsSeen")); }

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
    const auto before = samplesIn(stream, stalls);
    CountedWork(gpu).launch(4);
    ASSERT_OK(stream.read());
    EXPECT_GT(samplesIn(stream, stalls), before);
}
TEST(SamplingFaults, AnAbortedKernelLeavesTheStreamer) { EXPECT_RUNS(measured("anAbortedKernelLeavesTheStreamer")); }

}  // namespace
}  // namespace zetl::test
