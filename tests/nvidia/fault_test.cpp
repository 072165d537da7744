// The driver where CUDA is not there, is too old, fails, or loses its context; and memory in two processes.
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <span>
#include <thread>

#include "nvidia_gpu.h"

namespace zetl::test {
namespace {

SCENARIO(hasNoDevice) { EXPECT_EQ(zeInit(0), ZE_RESULT_ERROR_UNINITIALIZED); }

testing::AssertionResult says(const Outcome& outcome, const std::string& words) {
    if (outcome.good() && outcome.output.find(words) != std::string::npos) return testing::AssertionSuccess();
    return testing::AssertionFailure() << outcome;
}

TEST(NvidiaFault, SaysThatTheLibraryIsMissing) {
    EXPECT_TRUE(says(onStandIn("hasNoDevice").with("ZETL_CUDA_LIBRARY", "/nowhere/libcuda.so.1").run(),
                     "/nowhere/libcuda.so.1: cannot open"));
}

TEST(NvidiaFault, NamesWhatAnOldDriverLacks) {
    EXPECT_TRUE(says(
        onStandIn("hasNoDevice").with("ZETL_CUDA_LIBRARY", inBuildTree("tests/nvidia/libcuda_old_stand_in.so")).run(),
        "lacks cuFuncGetParamInfo; it takes"));
}

TEST(NvidiaFault, NamesWhyCudaDoesNotStart) {
    EXPECT_TRUE(says(onStandIn("hasNoDevice", "cuInit=100").run(), "cuInit answers CUDA_ERROR_NO_DEVICE (100)"));
}

SCENARIO(survivesAKernelsFault) {
    const Gpu gpu;
    const auto kernel = ptxKernel(gpu, "fault");
    const auto list = gpu.immediate();
    const auto event = Gpu::event(gpu.pool(1));
    // The fault may be there before the signal is submitted.
    const auto accepted = zeCommandListAppendLaunchKernel(list, kernel, &kOneGroup, event, 0, nullptr);
    EXPECT_TRUE(accepted == ZE_RESULT_SUCCESS || accepted == ZE_RESULT_ERROR_DEVICE_LOST) << accepted;
    EXPECT_EQ(zeEventHostSynchronize(event, UINT64_MAX), ZE_RESULT_ERROR_DEVICE_LOST);
    EXPECT_EQ(gpu.synchronize(list, UINT64_MAX), ZE_RESULT_ERROR_DEVICE_LOST);
    EXPECT_EQ(zeDeviceGetStatus(gpu.device()), ZE_RESULT_ERROR_DEVICE_LOST);
    EXPECT_EQ(zeContextGetStatus(gpu.context()), ZE_RESULT_ERROR_DEVICE_LOST);
    EXPECT_EQ(zeCommandListAppendLaunchKernel(list, kernel, &kOneGroup, nullptr, 0, nullptr),
              ZE_RESULT_ERROR_DEVICE_LOST);
}
TEST(NvidiaFault, LosesTheContextAndNotTheProcess) { EXPECT_RUNS(onNvidia("survivesAKernelsFault")); }

/// CUDA gives the device back to a new process only.
SCENARIO(staysLostInANewContext) {
    const Gpu gpu;
    const auto list = gpu.immediate();
    ASSERT_OK(zeCommandListAppendLaunchKernel(list, ptxKernel(gpu, "fault"), &kOneGroup, nullptr, 0, nullptr));
    EXPECT_EQ(gpu.synchronize(list, UINT64_MAX), ZE_RESULT_ERROR_DEVICE_LOST);
    const ze_context_desc_t description{ZE_STRUCTURE_TYPE_CONTEXT_DESC, nullptr, 0};
    ze_context_handle_t second = nullptr;
    if (zeContextCreate(gpu.driver(), &description, &second) == ZE_RESULT_SUCCESS) {
        EXPECT_EQ(zeContextGetStatus(second), ZE_RESULT_ERROR_DEVICE_LOST);
    }
    EXPECT_EQ(zeDeviceGetStatus(gpu.device()), ZE_RESULT_ERROR_DEVICE_LOST);
}
TEST(NvidiaFault, StaysLostInANewContext) { EXPECT_RUNS(onNvidia("staysLostInANewContext")); }

SCENARIO(reportsRefusals) {
    const Gpu gpu;
    const ze_host_mem_alloc_desc_t description{ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC, nullptr, 0};
    void* memory = nullptr;
    EXPECT_EQ(zeMemAllocHost(gpu.context(), &description, 64, 64, &memory), ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
    const char* words = nullptr;
    ASSERT_OK(gpu.function<decltype(zeDriverGetLastErrorDescription)>("zeDriverGetLastErrorDescription")(gpu.driver(),
                                                                                                         &words));
    EXPECT_NE(std::strstr(words, "cuMemHostAlloc answers CUDA_ERROR_OUT_OF_MEMORY"), nullptr) << words;
    ze_image_handle_t image = nullptr;
    const ze_image_desc_t none{};
    EXPECT_EQ(zeImageCreate(gpu.context(), gpu.device(), &none, &image), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
}
TEST(NvidiaFault, NamesTheCallThatFailed) { EXPECT_RUNS(onStandIn("reportsRefusals", "cuMemHostAlloc=2")); }

std::string hex(std::span<const char> bytes) {
    std::string text;
    for (const char byte : bytes) {
        char two[3];
        std::snprintf(two, sizeof two, "%02x", static_cast<unsigned char>(byte));
        text += two;
    }
    return text;
}

/// What the environment has of it.
void readHex(std::span<char> bytes) {
    const std::string text = std::getenv("SHARED_HANDLE");
    for (std::size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = static_cast<char>(std::stoi(text.substr(2 * i, 2), nullptr, 16));
}

SCENARIO(opensSharedMemory) {
    const Gpu gpu;
    ze_ipc_mem_handle_t handle{};
    readHex(handle.data);
    void* memory = nullptr;
    ASSERT_OK(zeMemOpenIpcHandle(gpu.context(), gpu.device(), handle, 0, &memory));
    int value = 0;
    const auto list = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    ASSERT_OK(zeCommandListAppendMemoryCopy(list, &value, memory, sizeof value, nullptr, 0, nullptr));
    EXPECT_EQ(value, 4711);
    EXPECT_EQ(zeMemFree(gpu.context(), memory), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_OK(zeMemCloseIpcHandle(gpu.context(), memory));
}

SCENARIO(sharesMemory) {
    const Gpu gpu;
    int* memory = gpu.device(1024);
    const int value = 4711;
    const auto list = gpu.immediate(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    ASSERT_OK(zeCommandListAppendMemoryCopy(list, memory, &value, sizeof value, nullptr, 0, nullptr));
    ze_ipc_mem_handle_t handle{};
    EXPECT_EQ(zeMemGetIpcHandle(gpu.context(), memory + 1, &handle), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    ASSERT_OK(zeMemGetIpcHandle(gpu.context(), memory, &handle));
    EXPECT_RUNS(onNvidia("opensSharedMemory").with("SHARED_HANDLE", hex(handle.data)));
    EXPECT_OK(gpu.function<decltype(zeMemPutIpcHandle)>("zeMemPutIpcHandle")(gpu.context(), handle));
}
TEST(NvidiaFault, SharesMemoryBetweenProcesses) { EXPECT_RUNS(onNvidia("sharesMemory")); }

ze_event_pool_handle_t sharedPool(const Gpu& gpu, std::uint32_t count) {
    return gpu.pool(count, ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_IPC);
}

/// Answers an event of the other process by a list that waits for it on the device.
SCENARIO(opensSharedEvents) {
    const Gpu gpu;
    ze_ipc_event_pool_handle_t handle{};
    readHex(handle.data);
    ze_event_pool_handle_t pool = nullptr;
    ASSERT_OK(zeEventPoolOpenIpcHandle(gpu.context(), handle, &pool));
    auto asked = Gpu::event(pool, 0);
    const auto answered = Gpu::event(pool, 1);
    const auto before = Gpu::event(pool, 2);
    EXPECT_OK(zeEventQueryStatus(before)) << "opening changes nothing";
    const auto list = gpu.immediate();
    ASSERT_OK(zeCommandListAppendBarrier(list, answered, 1, &asked));
    ASSERT_OK(zeEventHostSignal(Gpu::event(pool, 3)));  // from now on it waits
    ASSERT_OK(gpu.synchronize(list, UINT64_MAX));
    EXPECT_OK(zeEventPoolCloseIpcHandle(pool));
}

SCENARIO(sharesEvents) {
    constexpr std::uint64_t kPatience = 60'000'000'000;  // nanoseconds, if the other process fails
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);  // so that it may fetch the descriptor
    const Gpu gpu;
    const auto pool = sharedPool(gpu, 4);
    const auto asked = Gpu::event(pool, 0);
    const auto answered = Gpu::event(pool, 1);
    ASSERT_OK(zeEventHostSignal(Gpu::event(pool, 2)));
    const auto waits = Gpu::event(pool, 3);
    ze_ipc_event_pool_handle_t handle{};
    ASSERT_OK(zeEventPoolGetIpcHandle(pool, &handle));
    std::thread other([&] { EXPECT_RUNS(onNvidia("opensSharedEvents").with("SHARED_HANDLE", hex(handle.data))); });
    EXPECT_OK(zeEventHostSynchronize(waits, kPatience));
    EXPECT_EQ(zeEventQueryStatus(answered), ZE_RESULT_NOT_READY);
    const auto list = gpu.immediate();
    EXPECT_OK(zeCommandListAppendSignalEvent(list, asked));
    EXPECT_OK(zeEventHostSynchronize(answered, kPatience));
    other.join();
    EXPECT_OK(DRIVER_CALL(gpu, zeEventPoolPutIpcHandle)(gpu.context(), handle));
    EXPECT_EQ(zeEventPoolCloseIpcHandle(pool), ZE_RESULT_ERROR_INVALID_ARGUMENT) << "not opened";
}
TEST(NvidiaFault, SharesEventsBetweenProcesses) { EXPECT_RUNS(onNvidia("sharesEvents")); }

/// Handles are bytes that anybody can write.
SCENARIO(refusesHandlesThatAreNone) {
    const Gpu gpu;
    ze_ipc_event_pool_handle_t good{};
    ASSERT_OK(zeEventPoolGetIpcHandle(sharedPool(gpu, 4), &good));
    const auto expectRefused = [&](std::size_t place, std::uint32_t value) {
        auto handle = good;
        std::memcpy(handle.data + place, &value, sizeof value);
        ze_event_pool_handle_t pool = nullptr;
        EXPECT_EQ(zeEventPoolOpenIpcHandle(gpu.context(), handle, &pool), ZE_RESULT_ERROR_INVALID_ARGUMENT) << place;
    };
    const int pages = memfd_create("of another kind", MFD_CLOEXEC);
    ASSERT_EQ(ftruncate(pages, 512), 0);
    struct stat status {};
    ASSERT_EQ(fstat(pages, &status), 0);
    auto unsealed = good;
    const auto inode = static_cast<std::uint64_t>(status.st_ino);
    const auto device = static_cast<std::uint64_t>(status.st_dev);
    std::memcpy(unsealed.data, &pages, sizeof pages);
    std::memcpy(unsealed.data + 16, &inode, sizeof inode);
    std::memcpy(unsealed.data + 24, &device, sizeof device);
    ze_event_pool_handle_t pool = nullptr;
    EXPECT_EQ(zeEventPoolOpenIpcHandle(gpu.context(), unsealed, &pool), ZE_RESULT_ERROR_INVALID_ARGUMENT)
        << "its maker could shorten it";
    expectRefused(4, 1);            // not our mark
    expectRefused(12, 5);           // more events than the file has room for
    expectRefused(12, 0);           // none
    expectRefused(12, UINT32_MAX);  // too many
    expectRefused(16, 1);           // another file
    expectRefused(32, 0);           // not shared
    expectRefused(32, 0x5);         // with timestamps
    auto elsewhere = good;
    const std::int32_t nowhere[] = {-1, 0, 0x7fffffff};
    std::memcpy(elsewhere.data, &nowhere[0], 4);
    std::memcpy(elsewhere.data + 8, &nowhere[2], 4);
    EXPECT_EQ(zeEventPoolOpenIpcHandle(gpu.context(), elsewhere, &pool), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(DRIVER_CALL(gpu, zeEventPoolPutIpcHandle)(gpu.context(), {}), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(zeEventPoolGetIpcHandle(gpu.pool(1), &good), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    const ze_event_pool_desc_t timed{ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, nullptr,
                                     ZE_EVENT_POOL_FLAG_IPC | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP, 1};
    EXPECT_EQ(zeEventPoolCreate(gpu.context(), &timed, 0, nullptr, &pool), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
}
TEST(NvidiaFault, RefusesHandlesThatAreNone) { EXPECT_RUNS(onNvidia("refusesHandlesThatAreNone")); }

}  // namespace
}  // namespace zetl::test
