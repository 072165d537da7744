// The driver where CUDA is not there, is too old, fails, or loses its context; and memory in two processes.
#include <cstring>

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

std::string hex(const ze_ipc_mem_handle_t& handle) {
    std::string text;
    for (const char byte : handle.data) {
        char two[3];
        std::snprintf(two, sizeof two, "%02x", static_cast<unsigned char>(byte));
        text += two;
    }
    return text;
}

SCENARIO(opensSharedMemory) {
    const Gpu gpu;
    const std::string text = std::getenv("SHARED_HANDLE");
    ze_ipc_mem_handle_t handle{};
    for (std::size_t i = 0; i < sizeof handle.data; ++i)
        handle.data[i] = static_cast<char>(std::stoi(text.substr(2 * i, 2), nullptr, 16));
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
    EXPECT_RUNS(onNvidia("opensSharedMemory").with("SHARED_HANDLE", hex(handle)));
    EXPECT_OK(gpu.function<decltype(zeMemPutIpcHandle)>("zeMemPutIpcHandle")(gpu.context(), handle));
}
TEST(NvidiaFault, SharesMemoryBetweenProcesses) { EXPECT_RUNS(onNvidia("sharesMemory")); }

}  // namespace
}  // namespace zetl::test
