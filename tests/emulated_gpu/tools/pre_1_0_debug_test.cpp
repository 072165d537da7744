// Program debug by the names and in the order of the time before version 1.0, on the emulated GPU.
#include <ze_tools_layer/pre_1_0.h>

#include <chrono>
#include <cstring>
#include <string>

#include "emulated_gpu/debugged_child.h"
#include "emulated_gpu/gpu.h"
#include "support/scenario.h"
#include "support/wait_for.h"

namespace zetl::test {
namespace {

static_assert(ZET_DEBUG_DETACH_HOST_EXIT == 1 && ZET_DEBUG_EVENT_DETACHED == 1 && ZET_DEBUG_EVENT_PROCESS_ENTRY == 2);
static_assert(ZET_DEBUG_EVENT_PROCESS_EXIT == 3 && ZET_DEBUG_EVENT_MODULE_LOAD == 4 &&
              ZET_DEBUG_EVENT_MODULE_UNLOAD == 5);
static_assert(ZET_DEBUG_EVENT_EXCEPTION == 6 && ZET_DEBUG_EVENT_TYPE_EXCEPTION == 6);
static_assert(ZET_DEBUG_MEMORY_SPACE_GEN_DEFAULT == 0 && ZET_DEBUG_MEMORY_SPACE_IGFX_SLM == 1);

constexpr std::uint64_t kLimitMs = 20'000;

/// The debuggee: waits for the word, then spins on the device until its flag is set from outside.
SCENARIO(pre10DebuggeeSpins) {
    const Gpu gpu;
    say("started");
    awaitWord("go");
    const auto hCommandList = gpu.immediate();
    auto* stop = gpu.shared(1);
    *stop = 0;
    const ze_function_handle_t hFunction = gpu.kernel("spin");
    Gpu::arguments(hFunction, stop);
    const auto hEvent = Gpu::event(gpu.pool(1));
    ASSERT_OK(zeCommandListAppendLaunchKernel(hCommandList, hFunction, &kOneGroup, hEvent, 0, nullptr));
    say("launched " + std::to_string(reinterpret_cast<std::uint64_t>(stop)));
    ASSERT_OK(zeEventHostSynchronize(hEvent, UINT64_MAX));
    say("finished");
    awaitWord("end");
}

zet_debug_session_handle_t attached(const Gpu& gpu, const DebuggedChild& child) {
    zet_debug_config_t config = {};
    config.variant.v1.pid = static_cast<int>(child.pid());
    zet_debug_session_handle_t hDebug = nullptr;
    ze_result_t result = ZE_RESULT_NOT_READY;
    EXPECT_TRUE(waitFor([&] {
        result = zetDebugAttach(gpu.device(), &config, &hDebug);
        return result != ZE_RESULT_NOT_READY;
    }));
    EXPECT_OK(result);
    return hDebug;
}

zet_debug_event_t nextOf(zet_debug_session_handle_t hDebug) {
    zet_debug_event_t event = {};
    EXPECT_OK(zetDebugReadEvent(hDebug, kLimitMs, sizeof event, &event));
    return event;
}

/// Interrupts until the kernel is there.
void stopAll(zet_debug_session_handle_t hDebug) {
    zet_debug_event_t event = {};
    do {
        ASSERT_OK(zetDebugInterrupt(hDebug, ZET_DEBUG_THREAD_ALL));
        event = nextOf(hDebug);
    } while (event.type == ZET_DEBUG_EVENT_TYPE_THREAD_UNAVAILABLE);
    EXPECT_EQ(event.type, ZET_DEBUG_EVENT_EXCEPTION);
    EXPECT_EQ(event.flags, static_cast<std::uint64_t>(ZET_DEBUG_EVENT_FLAG_STOPPED));
    EXPECT_EQ(event.thread, ZET_DEBUG_THREAD_ALL);
}

SCENARIO(pre10Debug) {
    const Gpu gpu;
    DebuggedChild child("pre10DebuggeeSpins");
    const auto hDebug = attached(gpu, child);
    std::uint64_t threads = 0;
    ASSERT_OK(zetDebugGetNumThreads(hDebug, &threads));
    ze_device_properties_t properties{};
    properties.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
    ASSERT_OK(zeDeviceGetProperties(gpu.device(), &properties));
    EXPECT_EQ(threads, std::uint64_t{properties.numSlices} * properties.numSubslicesPerSlice *
                           properties.numEUsPerSubslice * properties.numThreadsPerEU);
    EXPECT_EQ(zetDebugResume(hDebug, ZET_DEBUG_THREAD_NONE), ZE_RESULT_ERROR_NOT_AVAILABLE) << "nothing waits";
    child.tell("go");
    const auto entry = nextOf(hDebug);
    EXPECT_EQ(entry.type, ZET_DEBUG_EVENT_PROCESS_ENTRY);
    EXPECT_EQ(entry.flags, 0u);
    EXPECT_EQ(entry.thread, ZET_DEBUG_THREAD_NONE);
    const auto load = nextOf(hDebug);
    EXPECT_EQ(load.type, ZET_DEBUG_EVENT_MODULE_LOAD);
    EXPECT_EQ(load.flags, static_cast<std::uint64_t>(ZET_DEBUG_EVENT_FLAG_STOPPED)) << "it waits to be resumed";
    EXPECT_EQ(load.thread, ZET_DEBUG_THREAD_NONE);
    char start[4] = {};
    ASSERT_OK(zetDebugReadMemory(hDebug, ZET_DEBUG_THREAD_NONE, ZET_DEBUG_MEMORY_SPACE_GEN_DEFAULT,
                                 load.info.module.moduleBegin, sizeof start, start));
    EXPECT_EQ(std::string(start + 1, 3), "ELF");
    ASSERT_OK(zetDebugResume(hDebug, ZET_DEBUG_THREAD_NONE));
    const auto stop = std::stoull(child.expect("launched "));

    stopAll(hDebug);
    std::uint64_t stopped = 0;
    while (stopped < threads && zetDebugResume(hDebug, stopped) != ZE_RESULT_SUCCESS) ++stopped;
    EXPECT_LT(stopped, threads) << "one thread has its number";
    ASSERT_OK(zetDebugInterrupt(hDebug, stopped));
    EXPECT_EQ(nextOf(hDebug).thread, stopped);
    const int one = 1;
    ASSERT_OK(zetDebugWriteMemory(hDebug, ZET_DEBUG_THREAD_NONE, ZET_DEBUG_MEMORY_SPACE_IGFX_DEFAULT, stop, sizeof one,
                                  &one));
    ASSERT_OK(zetDebugResume(hDebug, ZET_DEBUG_THREAD_ALL));
    child.expect("finished");
    ASSERT_OK(zetDebugDetach(hDebug));
    child.tell("end");
    EXPECT_EQ(child.wait(), 0);
}
TEST(Pre10, Debug) { EXPECT_RUNS(emulated("pre10Debug")); }

SCENARIO(pre10DebugRefusals) {
    const Gpu gpu;
    DebuggedChild child("pre10DebuggeeSpins");
    const auto hDebug = attached(gpu, child);
    std::uint64_t threads = 0;
    char byte = 0;
    zet_debug_event_t event = {};
    ASSERT_OK(zetDebugGetNumThreads(hDebug, &threads));
    EXPECT_EQ(zetDebugGetNumThreads(nullptr, &threads), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    EXPECT_EQ(zetDebugGetNumThreads(hDebug, nullptr), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    EXPECT_EQ(zetDebugInterrupt(hDebug, threads), ZE_RESULT_ERROR_INVALID_ARGUMENT) << "there is no such thread";
    EXPECT_EQ(zetDebugReadMemory(hDebug, threads, 0, 0, 1, &byte), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(zetDebugReadEvent(hDebug, 0, sizeof event - 1, &event), ZE_RESULT_ERROR_INVALID_SIZE);
    EXPECT_EQ(zetDebugReadEvent(hDebug, 0, sizeof event, nullptr), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    EXPECT_EQ(zetDebugReadEvent(hDebug, 0, sizeof event, &event), ZE_RESULT_NOT_READY);
    EXPECT_OK(zetDebugDetach(hDebug));
    const zet_debug_config_t* none = nullptr;
    zet_debug_session_handle_t hNone = nullptr;
    EXPECT_EQ(zetDebugAttach(gpu.device(), none, &hNone), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
}
TEST(Pre10, DebugRefusals) { EXPECT_RUNS(emulated("pre10DebugRefusals")); }

}  // namespace
}  // namespace zetl::test
