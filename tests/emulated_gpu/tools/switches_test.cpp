// The Tools API's environment variables on the emulated GPU: what each switches on, what its functions answer while it
// is off, and that the layer above the driver changes nothing about it.
#include <level_zero/zet_api.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "emulated_gpu/gpu.h"
#include "support/scenario.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::test {
namespace {

constexpr Slots kEverySlot[] = {Slots::none, Slots::tracing, Slots::validation, Slots::both};
/// Exactly "1" is on.
constexpr const char* kOff[] = {"0", "", "true", "01", "2"};

/// Runs the scenario in every slot, with the variable unset and with values that do not mean on.
void expectWhileOff(const char* scenario, const char* variable, const std::string& profile = "tiny") {
    for (const auto slots : kEverySlot) EXPECT_RUNS(layered(emulated(scenario, profile), slots));
    for (const char* value : kOff) {
        SCOPED_TRACE(std::string(variable) + "=" + value);
        EXPECT_RUNS(layered(emulated(scenario, profile), Slots::validation).with(variable, value));
    }
}
void expectWhileOn(const char* scenario, const char* variable, const std::string& profile = "tiny") {
    for (const auto slots : kEverySlot) EXPECT_RUNS(layered(emulated(scenario, profile), slots).with(variable, "1"));
}

// Metrics

constexpr const char* kMetrics = "ZET_ENABLE_METRICS";

ze_result_t activateNothing(const Gpu& gpu) {
    return zetContextActivateMetricGroups(gpu.context(), gpu.device(), 0, nullptr);
}

SCENARIO(metricsAreOff) {
    const Gpu gpu;
    std::uint32_t count = 7;
    EXPECT_EQ(zetMetricGroupGet(gpu.device(), &count, nullptr), ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE);
    EXPECT_EQ(count, 0u);
    EXPECT_EQ(activateNothing(gpu), ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE);
    // There is no group to be had, so what takes one has only foreign handles to refuse.
    auto* const foreign = reinterpret_cast<zet_metric_group_handle_t>(gpu.context());
    zet_metric_group_properties_t properties{};
    EXPECT_EQ(zetMetricGroupGetProperties(foreign, &properties), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(zetMetricGet(foreign, &count, nullptr), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    const zet_metric_query_pool_desc_t pool{ZET_STRUCTURE_TYPE_METRIC_QUERY_POOL_DESC, nullptr,
                                            ZET_METRIC_QUERY_POOL_TYPE_PERFORMANCE, 1};
    zet_metric_query_pool_handle_t noPool = nullptr;
    EXPECT_EQ(zetMetricQueryPoolCreate(gpu.context(), gpu.device(), foreign, &pool, &noPool),
              ZE_RESULT_ERROR_INVALID_ARGUMENT);
    zet_metric_streamer_desc_t stream{ZET_STRUCTURE_TYPE_METRIC_STREAMER_DESC, nullptr, 1, 1'000'000};
    zet_metric_streamer_handle_t noStreamer = nullptr;
    EXPECT_EQ(zetMetricStreamerOpen(gpu.context(), gpu.device(), foreign, &stream, nullptr, &noStreamer),
              ZE_RESULT_ERROR_INVALID_ARGUMENT);
}
TEST(Switches, MetricsOff) { expectWhileOff("metricsAreOff", kMetrics); }

SCENARIO(metricsAreOn) {
    const Gpu gpu;
    std::uint32_t count = 0;
    EXPECT_OK(zetMetricGroupGet(gpu.device(), &count, nullptr));
    EXPECT_GT(count, 2u);
    EXPECT_OK(activateNothing(gpu));
}
TEST(Switches, MetricsOn) { expectWhileOn("metricsAreOn", kMetrics); }

SCENARIO(metricsAreSwitchedByTheProgram) {
    const Gpu gpu;
    using Switch = ze_result_t(zet_device_handle_t);  // the loader may be too old to know the two
    ASSERT_OK(gpu.function<Switch>("zetDeviceEnableMetricsExp")(gpu.device()));
    EXPECT_OK(activateNothing(gpu));
    ASSERT_OK(gpu.function<Switch>("zetDeviceDisableMetricsExp")(gpu.device()));
    EXPECT_EQ(activateNothing(gpu), ZE_RESULT_ERROR_UNINITIALIZED);
    std::uint32_t count = 0;
    EXPECT_OK(zetMetricGroupGet(gpu.device(), &count, nullptr));
    EXPECT_GT(count, 2u);
}
TEST(Switches, MetricsByTheProgram) {
    for (const auto slots : kEverySlot) EXPECT_RUNS(layered(emulated("metricsAreSwitchedByTheProgram"), slots));
}

// Program debugging

constexpr const char* kDebugging = "ZET_ENABLE_PROGRAM_DEBUGGING";

ze_result_t attachTo(ze_device_handle_t device, zet_debug_session_handle_t& session) {
    const zet_debug_config_t self{static_cast<std::uint32_t>(getpid())};
    return zetDebugAttach(device, &self, &session);
}

/// What needs no variable: it is the debuggee's switch, not the debugger's.
void expectDebuggersFunctions(const Gpu& gpu) {
    zet_device_debug_properties_t properties{ZET_STRUCTURE_TYPE_DEVICE_DEBUG_PROPERTIES, nullptr, 0};
    EXPECT_OK(zetDeviceGetDebugProperties(gpu.device(), &properties));
    EXPECT_EQ(properties.flags, std::uint32_t{ZET_DEVICE_DEBUG_PROPERTY_FLAG_ATTACH});
    std::uint32_t sets = 0;
    EXPECT_OK(zetDebugGetRegisterSetProperties(gpu.device(), &sets, nullptr));
    EXPECT_GT(sets, 0u);
}

ze_device_handle_t subDevice(const Gpu& gpu) {
    std::uint32_t count = 1;
    ze_device_handle_t tile = nullptr;
    EXPECT_OK(zeDeviceGetSubDevices(gpu.device(), &count, &tile));
    return tile;
}

SCENARIO(debuggingIsOff) {
    const Gpu gpu;
    expectDebuggersFunctions(gpu);
    zet_debug_session_handle_t session = nullptr;
    EXPECT_EQ(attachTo(gpu.device(), session), ZE_RESULT_NOT_READY);
    EXPECT_EQ(session, nullptr);
}
TEST(Switches, DebuggingOff) { expectWhileOff("debuggingIsOff", kDebugging); }

SCENARIO(debuggingIsOn) {
    const Gpu gpu;
    expectDebuggersFunctions(gpu);
    zet_debug_session_handle_t session = nullptr;
    zet_debug_session_handle_t another = nullptr;
    ASSERT_OK(attachTo(gpu.device(), session));
    EXPECT_EQ(attachTo(subDevice(gpu), another), ZE_RESULT_ERROR_NOT_AVAILABLE);
    EXPECT_EQ(attachTo(gpu.device(), another), ZE_RESULT_ERROR_NOT_AVAILABLE);
    EXPECT_OK(zetDebugDetach(session));
}
TEST(Switches, DebuggingOn) { expectWhileOn("debuggingIsOn", kDebugging, "small-two-by-two"); }

// Program instrumentation

SCENARIO(instrumentationNeedsNoVariable) {
    const Gpu gpu;
    const auto module = gpu.module("-zet-profile-flags 3");
    std::size_t size = 0;
    EXPECT_OK(zetModuleGetDebugInfo(module, ZET_MODULE_DEBUG_INFO_FORMAT_ELF_DWARF, &size, nullptr));
    std::vector<std::uint8_t> image(size);
    EXPECT_OK(zetModuleGetDebugInfo(module, ZET_MODULE_DEBUG_INFO_FORMAT_ELF_DWARF, &size, image.data()));
    ASSERT_GT(size, 4u);
    EXPECT_EQ(std::memcmp(image.data() + 1, "ELF", 3), 0);
    const ze_kernel_desc_t description{ZE_STRUCTURE_TYPE_KERNEL_DESC, nullptr, 0, "add"};
    ze_kernel_handle_t kernel = nullptr;
    ASSERT_OK(zeKernelCreate(module, &description, &kernel));
    zet_profile_properties_t profile{ZET_STRUCTURE_TYPE_PROFILE_PROPERTIES, nullptr, 99, 99};
    EXPECT_OK(zetKernelGetProfileInfo(kernel, &profile));
    EXPECT_EQ(profile.flags, 3u);
    EXPECT_EQ(profile.numTokens, 0u);
}
TEST(Switches, InstrumentationOff) {
    expectWhileOff("instrumentationNeedsNoVariable", "ZET_ENABLE_PROGRAM_INSTRUMENTATION");
}
TEST(Switches, InstrumentationOn) {
    expectWhileOn("instrumentationNeedsNoVariable", "ZET_ENABLE_PROGRAM_INSTRUMENTATION");
}

// API tracing: the layer's in the validation slot, else the driver's own.

constexpr const char* kTracing = "ZET_ENABLE_API_TRACING_EXP";

ze_result_t createTracer(const Gpu& gpu, zet_tracer_exp_handle_t& tracer, void* userData = nullptr) {
    const zet_tracer_exp_desc_t description{ZET_STRUCTURE_TYPE_TRACER_EXP_DESC, nullptr, userData};
    return zetTracerExpCreate(reinterpret_cast<zet_context_handle_t>(gpu.context()), &description, &tracer);
}

SCENARIO(apiTracingIsOff) {
    const Gpu gpu;
    zet_tracer_exp_handle_t tracer = nullptr;
    EXPECT_EQ(createTracer(gpu, tracer), ZE_RESULT_ERROR_UNINITIALIZED);
    EXPECT_EQ(tracer, nullptr);
    // Nothing can be made, so the others have only handles to refuse.
    auto* const foreign = reinterpret_cast<zet_tracer_exp_handle_t>(gpu.context());
    zet_core_callbacks_t callbacks{};
    EXPECT_EQ(zetTracerExpSetPrologues(foreign, &callbacks), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    EXPECT_EQ(zetTracerExpSetEpilogues(foreign, &callbacks), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    EXPECT_EQ(zetTracerExpSetEnabled(foreign, true), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    EXPECT_EQ(zetTracerExpDestroy(foreign), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
}
SCENARIO(apiTracingIsOn) {
    const Gpu gpu;
    int seen[2] = {};
    zet_tracer_exp_handle_t tracer = nullptr;
    ASSERT_OK(createTracer(gpu, tracer, seen));
    zet_core_callbacks_t prologues{};
    zet_core_callbacks_t epilogues{};
    prologues.Mem.pfnAllocDeviceCb = [](ze_mem_alloc_device_params_t*, ze_result_t, void* user, void**) {
        ++static_cast<int*>(user)[0];
    };
    epilogues.Mem.pfnAllocDeviceCb = [](ze_mem_alloc_device_params_t* parameters, ze_result_t, void* user, void**) {
        static_cast<int*>(user)[1] += **parameters->ppptr != nullptr;
    };
    EXPECT_OK(zetTracerExpSetPrologues(tracer, &prologues));
    EXPECT_OK(zetTracerExpSetEpilogues(tracer, &epilogues));
    gpu.device(1);
    EXPECT_EQ(seen[0], 0) << "made disabled";
    EXPECT_OK(zetTracerExpSetEnabled(tracer, true));
    gpu.device(1);
    EXPECT_EQ(seen[0], 1);
    EXPECT_EQ(seen[1], 1);
    EXPECT_EQ(zetTracerExpSetPrologues(tracer, &prologues), ZE_RESULT_ERROR_INVALID_ARGUMENT) << "while enabled";
    EXPECT_EQ(zetTracerExpDestroy(tracer), ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE) << "while enabled";
    EXPECT_OK(zetTracerExpSetEnabled(tracer, false));
    gpu.device(1);
    EXPECT_EQ(seen[1], 1);
    EXPECT_OK(zetTracerExpDestroy(tracer));
}
SCENARIO(apiTracingRefusesBadHandles) {
    const Gpu gpu;
    zet_tracer_exp_handle_t tracer = nullptr;
    const zet_tracer_exp_desc_t description{ZET_STRUCTURE_TYPE_TRACER_EXP_DESC, nullptr, nullptr};
    const auto context = reinterpret_cast<zet_context_handle_t>(gpu.context());
    EXPECT_EQ(zetTracerExpCreate(context, nullptr, &tracer), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    EXPECT_EQ(zetTracerExpCreate(context, &description, nullptr), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    ASSERT_OK(createTracer(gpu, tracer));
    EXPECT_EQ(zetTracerExpSetPrologues(tracer, nullptr), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    EXPECT_EQ(zetTracerExpSetEpilogues(tracer, nullptr), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    EXPECT_OK(zetTracerExpDestroy(tracer));
    EXPECT_EQ(zetTracerExpDestroy(tracer), ZE_RESULT_ERROR_INVALID_NULL_HANDLE) << "it is gone";
}
SCENARIO(apiTracingInAForkedChild) {
    const Gpu gpu;
    zet_tracer_exp_handle_t tracer = nullptr;
    ASSERT_OK(createTracer(gpu, tracer));
    const pid_t child = fork();
    if (child == 0) _exit(zetTracerExpSetEnabled(tracer, true) == ZE_RESULT_ERROR_DEVICE_LOST ? 0 : 1);
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    EXPECT_OK(zetTracerExpDestroy(tracer));
}
TEST(Switches, ApiTracing) {
    for (const auto slots : kEverySlot) {
        EXPECT_RUNS(layered(emulated("apiTracingIsOn"), slots).with(kTracing, "1"));
        EXPECT_RUNS(layered(emulated("apiTracingRefusesBadHandles"), slots).with(kTracing, "1"));
        for (const char* value : kOff) EXPECT_RUNS(layered(emulated("apiTracingIsOff"), slots).with(kTracing, value));
    }
    EXPECT_RUNS(emulated("apiTracingInAForkedChild").with(kTracing, "1"));
}
TEST(Switches, ApiTracingFollowsTheTracingSlot) {
    for (const auto slots : {Slots::none, Slots::validation}) EXPECT_RUNS(layered(emulated("apiTracingIsOff"), slots));
    for (const auto slots : {Slots::tracing, Slots::both}) EXPECT_RUNS(layered(emulated("apiTracingIsOn"), slots));
}
TEST(Switches, ApiTracingOfTheDriverWhereTheLoaderWrapsHandles) {
    EXPECT_RUNS(emulated("apiTracingIsOn").with(kTracing, "1").with("ZE_ENABLE_LOADER_INTERCEPT", "1"));
    const auto two =
        inBuildTree("lib/libze_emulated_gpu.so.1") + "," + inBuildTree("tests/support/libze_fake_driver.so.1");
    EXPECT_RUNS(emulated("apiTracingIsOn").with(kTracing, "1").with("ZE_ENABLE_ALT_DRIVERS", two));
}

}  // namespace
}  // namespace zetl::test
