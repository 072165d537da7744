// Kernels whose counts are looked for in the reports of their time.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include "emulated_gpu/gpu.h"
#include "emulated_gpu/measured_gpu.h"
#include "support/wait_for.h"

namespace zetl::test {

/// Kernels of several lengths in two lists.
class TimedWorks {
  public:
    static constexpr std::uint32_t kPeriod = 100'000;  // nanoseconds
    static constexpr const char* kMetrics = "L1ProfileWrites";

    explicit TimedWorks(const Gpu& gpu)
        : gpu_(gpu),
          lists_{gpu.immediate(), gpu.immediate()},
          pool_(gpu.pool(kMost, ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP)),
          kernel_(gpu.kernel("add", kGroupSize)) {
        auto* const buffer = gpu.shared(kMostGroups * kGroupSize);
        Gpu::arguments(kernel_, buffer, buffer, buffer);
    }

    /// Alone, behind each other and beside each other.
    void run() {
        for (const std::uint32_t groups : {1u, 100u, kMostGroups})
            for (const std::size_t lists : {1u, 2u})
                for (std::size_t i = 0; i < 6; ++i) {
                    launch(groups, i % lists);
                    if (i % 3 != 0) continue;
                    await();
                    if (groups != 100) letPass(std::chrono::milliseconds(1));
                }
        await();
    }
    std::uint64_t bytes() const { return bytes_; }

    /// In nanoseconds as reports have them.
    struct Span {
        std::uint64_t begin;
        std::uint64_t end;
    };
    static constexpr std::size_t kMost = 36;
    std::vector<Span> spans() const {
        constexpr std::uint64_t kToolsMask = (std::uint64_t{1} << 31) - 1;
        constexpr std::uint64_t kTick = 80;
        std::vector<Span> all;
        for (auto* const event : events_) {
            ze_kernel_timestamp_result_t times{};
            EXPECT_OK(zeEventQueryKernelTimestamp(event, &times));
            all.push_back(
                {(times.global.kernelStart & kToolsMask) * kTick, (times.global.kernelEnd & kToolsMask) * kTick});
        }
        return all;
    }

    /// What a report counts belongs to a kernel that ran in its period, and all is in some report.
    static void expectInSpans(const std::vector<Row>& rows, const std::vector<Span>& spans, std::uint64_t bytes) {
        constexpr std::uint64_t kRange = std::uint64_t{80} << 31;
        const auto timeOf = [](const Row& row) { return row.at("QueryBeginTime").value.ui64; };
        ASSERT_FALSE(rows.empty());
        const std::uint64_t origin = timeOf(rows.front());
        const auto after = [&](std::uint64_t time) { return (time + kRange - origin) % kRange; };
        std::uint64_t counted = 0;
        for (const auto& row : rows) {
            const std::uint64_t written = row.at("LOAD_STORE_CACHE_BYTE_WRITE").value.ui64;
            counted += written;
            if (written == 0 && row.at("GPU_MEMORY_BYTE_READ").value.ui64 == 0) continue;
            const std::uint64_t end = after(timeOf(row));
            const std::uint64_t begin = end - std::min<std::uint64_t>(end, kPeriod);
            EXPECT_TRUE(std::ranges::any_of(spans, [&](const Span& span) {
                return after(span.begin) <= end && after(span.end) >= begin;
            })) << written
                << " bytes between " << begin << " and " << end;
        }
        EXPECT_EQ(counted, bytes);
    }

  private:
    static constexpr std::uint32_t kMostGroups = 1024;
    static constexpr std::uint32_t kGroupSize = 64;

    void launch(std::uint32_t groups, std::size_t list) {
        events_.push_back(Gpu::event(pool_, static_cast<std::uint32_t>(events_.size())));
        const ze_group_count_t count{groups, 1, 1};
        ASSERT_OK(zeCommandListAppendLaunchKernel(lists_[list], kernel_, &count, events_.back(), 0, nullptr));
        bytes_ += std::uint64_t{4} * groups * kGroupSize;
    }
    void await() const {
        for (auto* const list : lists_) EXPECT_OK(gpu_.synchronize(list, UINT64_MAX));
    }

    const Gpu& gpu_;
    ze_command_list_handle_t lists_[2];
    ze_event_pool_handle_t pool_;
    ze_kernel_handle_t kernel_;
    std::vector<ze_event_handle_t> events_;
    std::uint64_t bytes_ = 0;
};

}  // namespace zetl::test
