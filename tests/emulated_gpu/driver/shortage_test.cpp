// The emulated GPU in hosts that get no thread or no memory for a while.
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <iterator>

#include "emulated_gpu/gpu.h"
#include "emulated_gpu/host_work.h"
#include "emulated_gpu/misfortune.h"
#include "support/scenario.h"

namespace zetl::test {
namespace {

/// More than the queue's thread would do before it calls workers.
void launchesMany(const Work& work) {
    constexpr ze_group_count_t kMany{4096, 1, 1};
    constexpr std::uint32_t kLast = 4096 * 64 - 1;
    auto* const many = work.gpu.shared<std::uint32_t>(kLast + 1);
    ze_command_list_handle_t list = work.gpu.list();
    Gpu::arguments(work.kernel, many, std::uint32_t{3});
    EXPECT_OK(zeCommandListAppendLaunchKernel(list, work.kernel, &kMany, nullptr, 0, nullptr));
    EXPECT_OK(zeCommandListClose(list));
    EXPECT_OK(zeCommandQueueExecuteCommandLists(work.queue, 1, &list, nullptr));
    EXPECT_OK(zeCommandQueueSynchronize(work.queue, UINT64_MAX));
    EXPECT_EQ(many[kLast], 3 * kLast);
    Gpu::arguments(work.kernel, work.data, std::uint32_t{3});
}

/// The queue has its thread, but no other can be started.
SCENARIO(noWorkers) {
    Work work;
    allowThreads(1);
    for (int i = 0; i < 3; ++i) {
        EXPECT_OK(work.executeAndWait());
        EXPECT_TRUE(work.right());
    }
    launchesMany(work);
    allowThreads(kAnyNumber);
    launchesWork(work);
}
TEST(Host, WithoutWorkersTheQueueWorks) {
    const Outcome outcome = emulated("noWorkers").run();
    EXPECT_TRUE(outcome.good()) << outcome;
    cpu_set_t cores;
    ASSERT_EQ(sched_getaffinity(0, sizeof cores, &cores), 0);
    const bool asked = outcome.output.find("ulimit -u") != std::string::npos;
    EXPECT_EQ(asked, CPU_COUNT(&cores) > 1) << "on one core the queue's thread is all that may run\n" << outcome;
}

SCENARIO(noThreads) {
    Work work;
    allowThreads(0);
    const auto synchronous = work.gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    for (int i = 0; i < 3; ++i) {
        EXPECT_OK(work.launch(synchronous));
        EXPECT_TRUE(work.right());
        EXPECT_EQ(work.executeAndWait(), ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
        EXPECT_FALSE(work.right());
    }
    allowThreads(kAnyNumber);
    launchesWork(work);
    EXPECT_OK(work.launch(synchronous));
    EXPECT_TRUE(work.right());
}
TEST(Host, WithoutThreadsTheCallerWorks) {
    const Outcome outcome = emulated("noThreads").run();
    EXPECT_TRUE(outcome.good()) << outcome;
    EXPECT_NE(outcome.output.find("no thread for a command queue"), std::string::npos) << outcome;
}

/// The only thread comes from a long launch to a list that waits for another one, which is ready and has no thread.
SCENARIO(oneThreadForListsThatWait) {
    Work work;
    allowThreads(1);
    const auto busy = work.gpu.immediate(), waits = work.gpu.immediate(), signals = work.gpu.immediate();
    const auto pool = work.gpu.pool(2);
    const auto signalled = Gpu::event(pool, 0), done = Gpu::event(pool, 1);
    constexpr ze_group_count_t kMany{1u << 16, 1, 1};
    Gpu::arguments(work.kernel, work.gpu.shared<std::uint32_t>((1u << 16) * 64), std::uint32_t{3});
    EXPECT_OK(zeCommandListAppendLaunchKernel(busy, work.kernel, &kMany, nullptr, 0, nullptr));
    ze_event_handle_t awaited = signalled;
    EXPECT_OK(zeCommandListAppendBarrier(waits, done, 1, &awaited));
    EXPECT_OK(zeCommandListAppendSignalEvent(signals, signalled));
    EXPECT_OK(zeEventHostSynchronize(done, UINT64_MAX));
}
TEST(Host, OneThreadServesListsThatWaitForEachOther) { EXPECT_RUNS(emulated("oneThreadForListsThatWait")); }

SCENARIO(launchesWithoutMemory) {
    Work work;
    withoutEachAllocation(
        [&] {
            ze_command_list_handle_t list = nullptr;
            const ze_command_queue_desc_t description{
                ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC, nullptr, 0, 0, 0, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS,
                ZE_COMMAND_QUEUE_PRIORITY_NORMAL};
            const ze_result_t made =
                zeCommandListCreateImmediate(work.gpu.context(), work.gpu.device(), &description, &list);
            if (made != ZE_RESULT_SUCCESS) return made;
            const ze_result_t result = work.launch(list);
            zeCommandListDestroy(list);
            return result;
        },
        {ZE_RESULT_SUCCESS, ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, ZE_RESULT_ERROR_DEVICE_LOST});
    EXPECT_TRUE(work.right());
    launchesWork(work);
}
TEST(Host, LaunchesWithoutMemory) { EXPECT_RUNS(emulated("launchesWithoutMemory").with("ZETL_LOG", "all=off")); }
TEST(Host, LaunchesWithoutMemoryAreLogged) {
    EXPECT_RUNS(emulated("launchesWithoutMemory").with("ZETL_LOG", "all=trace"));
}

/// Half of the device's memory: what two failed attempts kept would be missing for the next.
SCENARIO(physicalMemoryWithoutMemory) {
    const Gpu gpu;
    std::uint32_t one = 1;
    ze_device_memory_properties_t memory{};
    memory.stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_PROPERTIES;
    ASSERT_OK(zeDeviceGetMemoryProperties(gpu.device(), &one, &memory));
    constexpr std::size_t kPage = 2u << 20;
    ze_physical_mem_desc_t description{ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC, nullptr, 0,
                                       memory.totalSize / 2 / kPage * kPage};
    const auto create = [&] {
        ze_physical_mem_handle_t physical = nullptr;
        const ze_result_t result = zePhysicalMemCreate(gpu.context(), gpu.device(), &description, &physical);
        if (result == ZE_RESULT_SUCCESS) {
            EXPECT_OK(zePhysicalMemDestroy(gpu.context(), physical));
        }
        return result;
    };
    const auto descriptors = [] {
        const auto entries = std::filesystem::directory_iterator("/proc/self/fd");
        return std::distance(begin(entries), end(entries));
    };
    ASSERT_OK(create());
    const auto before = descriptors();
    withoutEachAllocation(create, {ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY});
    EXPECT_EQ(descriptors(), before);
}
TEST(Host, PhysicalMemoryWithoutMemory) { EXPECT_RUNS(emulated("physicalMemoryWithoutMemory")); }

SCENARIO(modulesWithoutMemory) {
    Work work;
    const auto text = readFile(inBuildTree("tests/emulated_gpu/kernels/driver_caller.spv"));
    const ze_module_desc_t source{
        ZE_STRUCTURE_TYPE_MODULE_DESC, nullptr, ZE_MODULE_FORMAT_IL_SPIRV, text.size(), text.data(), nullptr, nullptr};
    ze_module_handle_t original = nullptr;
    ASSERT_OK(zeModuleCreate(work.gpu.context(), work.gpu.device(), &source, &original, nullptr));
    std::size_t size = 0;
    ASSERT_OK(zeModuleGetNativeBinary(original, &size, nullptr));
    std::vector<std::uint8_t> binary(size);
    ASSERT_OK(zeModuleGetNativeBinary(original, &size, binary.data()));
    const ze_module_desc_t description{
        ZE_STRUCTURE_TYPE_MODULE_DESC, nullptr, ZE_MODULE_FORMAT_NATIVE, size, binary.data(), nullptr, nullptr};
    withoutEachAllocation(
        [&] {
            ze_module_handle_t module = nullptr;
            const ze_result_t made =
                zeModuleCreate(work.gpu.context(), work.gpu.device(), &description, &module, nullptr);
            return made == ZE_RESULT_SUCCESS ? zeModuleDestroy(module) : made;
        },
        {ZE_RESULT_SUCCESS, ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY});
    launchesWork(work);
}
TEST(Host, ModulesWithoutMemory) { EXPECT_RUNS(emulated("modulesWithoutMemory")); }

SCENARIO(buildsWithoutMemory) {
    Work work;
    const auto text = readFile(inBuildTree("tests/emulated_gpu/kernels/driver_callee.spv"));
    const ze_module_desc_t description{
        ZE_STRUCTURE_TYPE_MODULE_DESC, nullptr, ZE_MODULE_FORMAT_IL_SPIRV, text.size(), text.data(), nullptr, nullptr};
    for (long n = 1; n < 400; n += 1 + n / 4) {
        ze_module_handle_t module = nullptr;
        failAllocation(n);
        const ze_result_t result =
            zeModuleCreate(work.gpu.context(), work.gpu.device(), &description, &module, nullptr);
        failAllocation(0);
        EXPECT_TRUE(result == ZE_RESULT_SUCCESS || result == ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY) << n << ": " << result;
    }
    launchesWork(work);
}
TEST(Host, BuildsWithoutMemory) { EXPECT_RUNS(emulated("buildsWithoutMemory")); }

/// zeInit in a process of its own whose n-th allocation fails: 0: success all the same, 1: an error, 2: none failed;
/// below 0: the signal that ended the process.
int initialiseWithout(long n) {
    const pid_t child = fork();
    if (child == 0) {
        alarm(20);
        failAllocation(n);
        const ze_result_t result = zeInit(0);
        const bool failed = allocationFailed();
        failAllocation(0);
        _exit(!failed ? 2 : result == ZE_RESULT_SUCCESS ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}
SCENARIO(startsWithoutMemory) {
    int code = 0;
    for (long n = 1; code != 2 && n < 100'000; n += 1 + n / 16) {
        code = initialiseWithout(n);
        EXPECT_GE(code, 0) << "allocation " << n;
        EXPECT_LE(code, 2) << "allocation " << n;
    }
    EXPECT_EQ(code, 2);
}
TEST(Host, StartsWithoutMemory) {
    EXPECT_RUNS(emulated("startsWithoutMemory"));
    EXPECT_RUNS(layered(emulated("startsWithoutMemory"), Slots::both)
                    .with("ZET_ENABLE_METRICS", "1")
                    .with("ZET_ENABLE_PROGRAM_DEBUGGING", "1"));
}

}  // namespace
}  // namespace zetl::test
