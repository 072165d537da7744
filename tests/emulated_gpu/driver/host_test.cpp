// The emulated GPU in processes that are somebody else's: with tools preloaded, with little of everything.
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "emulated_gpu/gpu.h"
#include "emulated_gpu/host_work.h"
#include "emulated_gpu/misfortune.h"
#include "support/scenario.h"

namespace zetl::test {
namespace {

namespace fs = std::filesystem;

/// A directory of its own for a test, gone afterwards.
struct Directory {
    Directory() {
        std::string name = testing::TempDir() + "zetl_host.XXXXXX";
        path = mkdtemp(name.data());
    }
    ~Directory() { fs::remove_all(path); }
    fs::path path;
};

SCENARIO(buildsAModule) { EXPECT_NE(Gpu().module(), nullptr); }

TEST(Host, PreloadedToolsAreNotInTheCompiler) {
    const Directory directory;
    const fs::path tool = directory.path / "libtool.so";
    fs::copy_file(inBuildTree("tests/emulated_gpu/libpreloaded_tool.so"), tool);
    EXPECT_RUNS(emulated("buildsAModule").withFirst("LD_PRELOAD", tool));
    const auto files = std::distance(fs::directory_iterator(directory.path), fs::directory_iterator());
    EXPECT_EQ(files, 2) << "the tool and what it left in one process";
}

SCENARIO(noClone) {
    forbidClone(EPERM, false);
    const Gpu gpu;
    const auto list = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    auto* data = gpu.shared(16);
    const int value = 5;
    EXPECT_OK(zeCommandListAppendMemoryFill(list, data, &value, sizeof value, 64, nullptr, 0, nullptr));
    EXPECT_EQ(data[15], 5);
    const auto text = readFile(inBuildTree("tests/emulated_gpu/kernels/driver_kernels.spv"));
    const ze_module_desc_t description{
        ZE_STRUCTURE_TYPE_MODULE_DESC, nullptr, ZE_MODULE_FORMAT_IL_SPIRV, text.size(), text.data(), nullptr, nullptr};
    ze_module_handle_t module = nullptr;
    EXPECT_EQ(zeModuleCreate(gpu.context(), gpu.device(), &description, &module, nullptr),
              ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE);
}
/// With the debug agent and the metrics, which would like threads.
SCENARIO(noCloneForTools) {
    forbidClone(EPERM, false);
    const ze_result_t result = zeInit(0);
    EXPECT_TRUE(result == ZE_RESULT_SUCCESS || result == ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY) << result;
}
TEST(Host, CloneForbidden) {
    EXPECT_RUNS(emulated("noClone").with("ZETL_BUILD_CACHE", ""));  // no build of before helps
    EXPECT_RUNS(emulated("noCloneForTools").with("ZET_ENABLE_METRICS", "1").with("ZET_ENABLE_PROGRAM_DEBUGGING", "1"));
}
SCENARIO(noClone3) {
    forbidClone(ENOSYS, true);
    Work work;
    launchesWork(work);
}
TEST(Host, Clone3Unknown) { EXPECT_RUNS(emulated("noClone3")); }

/// As a user with a limit, which root does not have.
SCENARIO(processLimit) {
    Work work;
    const rlimit one{1, 1};
    ASSERT_EQ(setrlimit(RLIMIT_NPROC, &one), 0);
    ASSERT_EQ(setresuid(54321, 54321, 54321), 0);
    EXPECT_OK(work.launch(work.gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS)));
    EXPECT_TRUE(work.right());
    EXPECT_EQ(work.executeAndWait(), ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
}
TEST(Host, ProcessLimit) { EXPECT_RUNS(emulated("processLimit")); }

/// A soft limit for as long as it exists.
class Limit {
  public:
    Limit(__rlimit_resource resource, rlim_t most) : resource_(resource) {
        getrlimit(resource_, &before_);
        const rlimit limit{most, before_.rlim_max};
        setrlimit(resource_, &limit);
    }
    ~Limit() { setrlimit(resource_, &before_); }

  private:
    const __rlimit_resource resource_;
    rlimit before_{};
};

SCENARIO(noFilesGrow) {
    const Limit limit(RLIMIT_FSIZE, 0);
    Work work;
    launchesWork(work);
    ze_ipc_mem_handle_t memory{};
    EXPECT_NE(zeMemGetIpcHandle(work.gpu.context(), work.data, &memory), ZE_RESULT_SUCCESS);
    const ze_event_pool_desc_t description{ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, nullptr, ZE_EVENT_POOL_FLAG_IPC, 4};
    ze_event_pool_handle_t pool = nullptr;
    EXPECT_EQ(zeEventPoolCreate(work.gpu.context(), &description, 0, nullptr, &pool),
              ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
    launchesWork(work);
}
TEST(Host, FilesMayNotGrow) {
    const Directory directory;
    EXPECT_RUNS(emulated("noFilesGrow").with("ZETL_LOG_FILE", directory.path / "log").with("ZETL_LOG", "all=trace"));
}

SCENARIO(nobodyReads) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    Work work;
    launchesWork(work);
}
TEST(Host, NobodyReadsTheLog) { EXPECT_RUNS(emulated("nobodyReads").with("ZETL_LOG", "all=trace")); }

SCENARIO(fewDescriptors) {
    Work work;
    const auto text = readFile(inBuildTree("tests/emulated_gpu/kernels/driver_kernels.spv"));
    const ze_module_desc_t description{
        ZE_STRUCTURE_TYPE_MODULE_DESC, nullptr, ZE_MODULE_FORMAT_IL_SPIRV, text.size(), text.data(), nullptr, nullptr};
    ze_module_handle_t module = nullptr;
    for (rlim_t most = 0; most < 16; ++most) {
        const Limit limit(RLIMIT_NOFILE, most);
        const ze_result_t result =
            zeModuleCreate(work.gpu.context(), work.gpu.device(), &description, &module, nullptr);
        EXPECT_TRUE(result == ZE_RESULT_SUCCESS || result == ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE) << result;
        launchesWork(work);
        if (result == ZE_RESULT_SUCCESS) break;
    }
    EXPECT_OK(zeModuleCreate(work.gpu.context(), work.gpu.device(), &description, &module, nullptr));
}
TEST(Host, FewDescriptors) { EXPECT_RUNS(emulated("fewDescriptors")); }

SCENARIO(smallStack) {
    Work work;
    launchesWork(work);
}
TEST(Host, SmallStack) {
    EXPECT_RUNS(emulated("smallStack").under({"/usr/bin/prlimit", "--stack=65536:65536"}));
    EXPECT_RUNS(emulated("smallStack")
                    .with("ZET_ENABLE_METRICS", "1")
                    .with("ZETL_LOG", "all=trace")
                    .under({"/usr/bin/prlimit", "--stack=65536:65536"}));
}

/// A kernel that is translated on its way, by the thread that waits for it.
struct LongWork {
    LongWork()
        : kernel(Gpu::kernelOf(gpu.moduleOf("model_kernels"), "walk", 32)),
          numbers(gpu.shared<std::uint32_t>(1)),
          sum(gpu.shared<std::uint32_t>(1)),
          list(gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS)) {
        *numbers = 3;
        *sum = 0;
        Gpu::arguments(kernel, numbers, std::uint32_t{0}, kSteps, sum);
    }
    static void* run(void* data) {
        auto& work = *static_cast<LongWork*>(data);
        EXPECT_OK(zeCommandListAppendLaunchKernel(work.list, work.kernel, &kOneGroup, nullptr, 0, nullptr));
        EXPECT_EQ(*work.sum, 3 * kSteps);
        return nullptr;
    }
    static constexpr std::uint32_t kSteps = 400'000;
    const Gpu gpu;
    const ze_kernel_handle_t kernel;
    std::uint32_t* const numbers;
    std::uint32_t* const sum;
    const ze_command_list_handle_t list;
};

/// Threads that programs give little stack.
SCENARIO(smallStackOfAThread) {
    for (std::size_t stack = std::size_t{128} << 10; stack >= std::size_t{28} << 10; stack -= std::size_t{20} << 10) {
        LongWork work;
        pthread_attr_t attributes;
        pthread_t thread{};
        ASSERT_EQ(pthread_attr_init(&attributes), 0);
        ASSERT_EQ(pthread_attr_setstacksize(&attributes, stack), 0);
        ASSERT_EQ(pthread_create(&thread, &attributes, LongWork::run, &work), 0) << stack;
        ASSERT_EQ(pthread_join(thread, nullptr), 0);
        pthread_attr_destroy(&attributes);
    }
}
TEST(Host, SmallStacksOfThreads) { EXPECT_RUNS(emulated("smallStackOfAThread")); }

/// A main thread of whose stack the environment takes some.
SCENARIO(smallMainStack) {
    LongWork work;
    LongWork::run(&work);
}
TEST(Host, SmallMainStackWithALargeEnvironment) {
    EXPECT_RUNS(emulated("smallMainStack")
                    .with("ZETL_TEST_PADDING", std::string(12'000, 'x'))
                    .under({"/usr/bin/prlimit", "--stack=49152:49152"}));
}

SCENARIO(noAddressSpace) {
    Work work;
    const auto text = readFile(inBuildTree("tests/emulated_gpu/kernels/driver_kernels.spv"));
    const ze_module_desc_t description{
        ZE_STRUCTURE_TYPE_MODULE_DESC, nullptr, ZE_MODULE_FORMAT_IL_SPIRV, text.size(), text.data(), nullptr, nullptr};
    long pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const auto used = static_cast<rlim_t>(pages) * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
    for (rlim_t room = 0; room < (64u << 20); room = room * 2 + (64 << 10)) {
        const Limit limit(RLIMIT_AS, used + room);
        ze_module_handle_t module = nullptr;
        zeModuleCreate(work.gpu.context(), work.gpu.device(), &description, &module, nullptr);
        work.launch(work.gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS));
        void* memory = nullptr;
        const ze_device_mem_alloc_desc_t wanted{ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC, nullptr, 0, 0};
        zeMemAllocDevice(work.gpu.context(), &wanted, 32 << 20, 64, work.gpu.device(), &memory);
    }
    ze_module_handle_t module = nullptr;
    EXPECT_OK(zeModuleCreate(work.gpu.context(), work.gpu.device(), &description, &module, nullptr));
    launchesWork(work);
}
TEST(Host, NoAddressSpace) { EXPECT_RUNS(emulated("noAddressSpace")); }

/// Everything from zeInit on by a thread of the host's with little stack.
SCENARIO(smallThread) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 64 << 10);
    pthread_t thread{};
    const auto body = [](void*) -> void* {
        Work work;
        launchesWork(work);
        return nullptr;
    };
    ASSERT_EQ(pthread_create(&thread, &attributes, body, nullptr), 0);
    pthread_join(thread, nullptr);
}
TEST(Host, SmallThread) { EXPECT_RUNS(emulated("smallThread").with("ZETL_LOG", "all=trace")); }

TEST(Host, NoTemporaryFiles) {
    EXPECT_RUNS(emulated("smallStack").with("TMPDIR", "/nonexistent").with("HOME", "/proc"));
}

}  // namespace
}  // namespace zetl::test
