// The programs that are debugged. Each is a scenario in a process of its own.
#include <sys/prctl.h>

#include <chrono>
#include <csignal>

#include "emulated_gpu/debugged_child.h"
#include "emulated_gpu/gpu.h"
#include "support/scenario.h"

namespace zetl::test {
namespace {

using Clock = std::chrono::steady_clock;

std::string number(const void* pointer) { return std::to_string(reinterpret_cast<std::uint64_t>(pointer)); }

/// Launches the kernel that spins, says where its flag and a buffer are, and waits for the end.
void spin(std::uint32_t groups, std::uint32_t items) {
    constexpr std::size_t kBuffer = 64 << 20;
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // a benchmark that is interrupted leaves nothing that spins
    const Gpu gpu;
    const auto list = gpu.immediate();
    auto* const stop = gpu.shared(1);
    *stop = 0;
    const auto kernel = gpu.kernel("spin", items);
    Gpu::arguments(kernel, stop);
    const ze_group_count_t count{groups, 1, 1};
    const auto event = Gpu::event(gpu.pool(1));
    EXPECT_OK(zeCommandListAppendLaunchKernel(list, kernel, &count, event, 0, nullptr));
    say("launched " + number(stop));
    say("buffer " + number(gpu.device<char>(kBuffer)));
    zeEventHostSynchronize(event, UINT64_MAX);
    awaitWord("end");
}

/// Every hardware thread of a tile: 64 cores of 8 engines of 8 threads, 32 work-items each.
SCENARIO(spinsEverywhere) { spin(4096 / 8, 8 * 32); }
SCENARIO(spinsInOneThread) { spin(1, 1); }

/// Says how long a launch takes, in nanoseconds, of many small ones and of a few long ones.
SCENARIO(launches) {
    constexpr int kLaunches = 2000;
    constexpr int kItems = 1 << 16;
    constexpr int kLongLaunches = 100;
    const Gpu gpu;
    const auto list = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    const auto kernel = gpu.kernel("add", 256);
    Gpu::arguments(kernel, gpu.shared(kItems), gpu.shared(kItems), gpu.shared(kItems));
    const auto each = [&](int launches, std::uint32_t groups) {
        const ze_group_count_t count{groups, 1, 1};
        const auto begin = Clock::now();
        for (int i = 0; i < launches; ++i)
            EXPECT_OK(zeCommandListAppendLaunchKernel(list, kernel, &count, nullptr, 0, nullptr));
        return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count() / launches;
    };
    each(kLaunches / 10, 1);
    const auto small = each(kLaunches, 1);
    say("launches " + std::to_string(small) + " " + std::to_string(each(kLongLaunches, kItems / 256)));
}

}  // namespace
}  // namespace zetl::test
