// Work of which every count is known.
#pragma once

#include <cstdint>

#include "emulated_gpu/gpu.h"

namespace zetl::test {

/// Launches of `add`, of 512 work-items each.
class CountedWork {
  public:
    static constexpr std::uint32_t kGroups = 8;
    static constexpr std::uint32_t kGroupSize = 64;
    static constexpr std::uint64_t kBytesWritten = 4 * kGroups * kGroupSize;  ///< by one launch

    explicit CountedWork(const Gpu& gpu) : gpu_(gpu), kernel_(gpu.kernel("add", kGroupSize)) {
        auto* const buffer = gpu.shared(kGroups * kGroupSize);
        Gpu::arguments(kernel_, buffer, buffer, buffer);
    }
    void append(ze_command_list_handle_t list, int times = 1) const {
        const ze_group_count_t groups{kGroups, 1, 1};
        for (int i = 0; i < times; ++i)
            EXPECT_OK(zeCommandListAppendLaunchKernel(list, kernel_, &groups, nullptr, 0, nullptr));
    }
    /// And waits for them.
    void launch(int times) {
        if (!list_) list_ = gpu_.immediate();
        append(list_, times);
        EXPECT_OK(gpu_.synchronize(list_, UINT64_MAX));
    }

  private:
    const Gpu& gpu_;
    ze_kernel_handle_t kernel_;
    ze_command_list_handle_t list_ = nullptr;
};

}  // namespace zetl::test
