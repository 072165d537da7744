// Work whose result can be told, for hosts in trouble.
#pragma once

#include <algorithm>
#include <cstdint>

#include "emulated_gpu/gpu.h"

namespace zetl::test {

/// A kernel whose result can be told, and where to launch it.
struct Work {
    Work() : kernel(gpu.kernel("writeIds", 64)), data(gpu.shared<std::uint32_t>(kItems)) {
        Gpu::arguments(kernel, data, std::uint32_t{3});
        EXPECT_OK(zeCommandListAppendLaunchKernel(list, kernel, &kGroups, nullptr, 0, nullptr));
        EXPECT_OK(zeCommandListClose(list));
    }
    ze_result_t launch(ze_command_list_handle_t immediate) {
        std::fill(data, data + kItems, 0u);
        return zeCommandListAppendLaunchKernel(immediate, kernel, &kGroups, nullptr, 0, nullptr);
    }
    ze_result_t executeAndWait() {
        std::fill(data, data + kItems, 0u);
        const ze_result_t accepted = zeCommandQueueExecuteCommandLists(queue, 1, &list, nullptr);
        return accepted == ZE_RESULT_SUCCESS ? zeCommandQueueSynchronize(queue, UINT64_MAX) : accepted;
    }
    bool right() const { return data[0] == 0 && data[1] == 3 && data[kItems - 1] == 3 * (kItems - 1); }

    static constexpr ze_group_count_t kGroups{16, 1, 1};
    static constexpr std::uint32_t kItems = 16 * 64;
    const Gpu gpu;
    const ze_kernel_handle_t kernel;
    std::uint32_t* const data;
    const ze_command_queue_handle_t queue = gpu.queue();
    ze_command_list_handle_t list = gpu.list();
};

inline void launchesWork(Work& work) {
    EXPECT_OK(work.executeAndWait());
    EXPECT_TRUE(work.right());
    EXPECT_OK(work.launch(work.gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS)));
    EXPECT_TRUE(work.right());
}

}  // namespace zetl::test
