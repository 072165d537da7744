// Intel's own driver, in the capture mode that needs no device (docs: a real program on a real driver).
#include <dlfcn.h>

#include <chrono>
#include <cstdio>
#include <vector>

#include "layer/tracer.h"
#include "support/scenario.h"
#include "support/wait_for.h"

namespace zetl::test {
namespace {

/// The installed driver as a DG2 that writes command streams nowhere. Debian 12's is 22.43; the last two variables are
/// for 26.27, sid's.
Process intel(const std::string& scenario, Slots slots) {
    auto process = fresh(scenario, slots)
                       .with("ZE_ENABLE_ALT_DRIVERS", "libze_intel_gpu.so.1")
                       .with("NEOReadDebugKeys", "1")
                       .with("SetCommandStreamReceiver", "1")
                       .with("ProductFamilyOverride", "dg2")
                       .with("HardwareInfoOverride", "8x4x16")
                       .with("UseAubStream", "0")
                       .with("UseBindlessMode", "0");
    return process;
}

SCENARIO(intelAllocationIsTraced) {
    const auto& objects = Objects::get();
    const zel_tracer_desc_t desc{ZEL_STRUCTURE_TYPE_TRACER_DESC, nullptr, nullptr};
    zel_tracer_handle_t tracer = nullptr;
    ASSERT_EQ(zelTracerCreate(&desc, &tracer), ZE_RESULT_SUCCESS);
    static std::size_t size = 0;
    static void* pointer = nullptr;
    zelTracerMemAllocDeviceRegisterCallback(
        tracer, ZEL_REGISTER_PROLOGUE,
        [](ze_mem_alloc_device_params_t* params, ze_result_t, void*, void**) { size = *params->psize; });
    zelTracerMemAllocDeviceRegisterCallback(
        tracer, ZEL_REGISTER_EPILOGUE, [](ze_mem_alloc_device_params_t* params, ze_result_t result, void*, void**) {
            EXPECT_EQ(result, ZE_RESULT_SUCCESS);
            pointer = **params->ppptr;
        });
    EXPECT_EQ(zelTracerSetEnabled(tracer, true), ZE_RESULT_SUCCESS);
    const ze_device_mem_alloc_desc_t memoryDesc{ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC, nullptr, 0, 0};
    void* memory = nullptr;
    EXPECT_EQ(zeMemAllocDevice(objects.context, &memoryDesc, 4096, 64, objects.device, &memory), ZE_RESULT_SUCCESS);
    EXPECT_EQ(size, 4096u);
    EXPECT_EQ(pointer, memory);
    EXPECT_EQ(zeMemFree(objects.context, memory), ZE_RESULT_SUCCESS);
    EXPECT_EQ(zelTracerSetEnabled(tracer, false), ZE_RESULT_SUCCESS);
    EXPECT_EQ(zelTracerDestroy(tracer), ZE_RESULT_SUCCESS);
}
TEST(IntelDriver, AllocationIsTraced) {
    EXPECT_RUNS(intel("intelAllocationIsTraced", Slots::tracing));
    EXPECT_RUNS(intel("intelAllocationIsTraced", Slots::both));
}

/// 22.43 dies in zetDeviceGetDebugProperties when it is called without hardware.
SCENARIO(intelDebugPropertiesDoNotCrash) {
    zet_device_debug_properties_t properties{};
    properties.stype = ZET_STRUCTURE_TYPE_DEVICE_DEBUG_PROPERTIES;
    const auto code = zetDeviceGetDebugProperties(Objects::get().device, &properties);
    std::printf("zetDeviceGetDebugProperties: %#x\n", static_cast<unsigned>(code));
    EXPECT_TRUE(code == ZE_RESULT_SUCCESS || code == ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    EXPECT_EQ(properties.flags, 0u);
}
TEST(IntelDriver, DebugPropertiesDoNotCrash) {
    EXPECT_RUNS(intel("intelDebugPropertiesDoNotCrash", Slots::both));
    EXPECT_RUNS(intel("intelDebugPropertiesDoNotCrash", Slots::validation));
}

/// 26.27 dies in zetDebugAttach.
SCENARIO(intelDebugAttachDoesNotCrash) {
    const zet_debug_config_t config{};
    zet_debug_session_handle_t session = nullptr;
    EXPECT_EQ(zetDebugAttach(Objects::get().device, &config, &session), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    EXPECT_EQ(session, nullptr);
}
TEST(IntelDriver, DebugAttachDoesNotCrash) {
    EXPECT_RUNS(intel("intelDebugAttachDoesNotCrash", Slots::both));
    EXPECT_RUNS(intel("intelDebugAttachDoesNotCrash", Slots::validation));
}

/// Without ZET_ENABLE_METRICS 22.43 succeeds and lists none, 26.27 refuses; the layer passes on what it says.
SCENARIO(intelMetricGroups) {
    std::uint32_t count = 0;
    const auto code = zetMetricGroupGet(Objects::get().device, &count, nullptr);
    std::printf("zetMetricGroupGet: %#x, %u groups\n", static_cast<unsigned>(code), count);
    EXPECT_TRUE(code == ZE_RESULT_SUCCESS || code == ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE);
}
TEST(IntelDriver, MetricGroups) {
    const auto driver = intel("intelMetricGroups", Slots::none).run();
    EXPECT_TRUE(driver.good()) << driver;
    for (const auto slots : {Slots::validation, Slots::both})
        EXPECT_EQ(intel("intelMetricGroups", slots).run().output, driver.output);
}

/// Once metrics are enabled, what the core API tells is a group. The device executes nothing, and so nothing is
/// counted.
SCENARIO(intelDeviceGetsTheCoreApisFacts) {
    const auto& objects = Objects::get();
    auto* const layer = dlopen("libze_tools_layer.so.1", RTLD_LAZY | RTLD_NOLOAD);
    ASSERT_NE(layer, nullptr);
    const auto enable =
        reinterpret_cast<ze_result_t(ZE_APICALL*)(ze_device_handle_t)>(dlsym(layer, "zetDeviceEnableMetricsExp"));
    ASSERT_NE(enable, nullptr);
    const auto enabled = enable(objects.device);
    if (enabled == ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE) return;  // 26.27 has metrics, and its libraries are missing
    ASSERT_EQ(enabled, ZE_RESULT_SUCCESS);
    std::uint32_t count = 1;
    zet_metric_group_handle_t group = nullptr;
    ASSERT_EQ(zetMetricGroupGet(objects.device, &count, &group), ZE_RESULT_SUCCESS);
    ASSERT_EQ(count, 1u);
    zet_metric_group_properties_t properties{};
    properties.stype = ZET_STRUCTURE_TYPE_METRIC_GROUP_PROPERTIES;
    EXPECT_EQ(zetMetricGroupGetProperties(group, &properties), ZE_RESULT_SUCCESS);
    EXPECT_STREQ(properties.name, "CoreApiOnly");
    EXPECT_EQ(zetContextActivateMetricGroups(objects.context, objects.device, 1, &group), ZE_RESULT_SUCCESS);
    zet_metric_streamer_desc_t description{ZET_STRUCTURE_TYPE_METRIC_STREAMER_DESC, nullptr, 1, 100'000};
    zet_metric_streamer_handle_t streamer = nullptr;
    ASSERT_EQ(zetMetricStreamerOpen(objects.context, objects.device, group, &description, nullptr, &streamer),
              ZE_RESULT_SUCCESS);
    EXPECT_EQ(zeCommandListAppendBarrier(objects.list, nullptr, 0, nullptr), ZE_RESULT_SUCCESS);
    std::size_t report = 0;
    EXPECT_EQ(zetMetricStreamerReadData(streamer, 1, &report, nullptr), ZE_RESULT_SUCCESS);
    std::vector<std::uint8_t> raw;
    EXPECT_TRUE(waitFor([&] {
        const auto old = raw.size();
        std::size_t size = 0;
        EXPECT_EQ(zetMetricStreamerReadData(streamer, UINT32_MAX, &size, nullptr), ZE_RESULT_SUCCESS);
        raw.resize(old + size);
        EXPECT_EQ(zetMetricStreamerReadData(streamer, UINT32_MAX, &size, raw.data() + old), ZE_RESULT_SUCCESS);
        raw.resize(old + size);
        return raw.size() > 10 * report;
    }));
    std::uint32_t values = 0;
    EXPECT_EQ(zetMetricGroupCalculateMetricValues(group, ZET_METRIC_GROUP_CALCULATION_TYPE_METRIC_VALUES, raw.size(),
                                                  raw.data(), &values, nullptr),
              ZE_RESULT_SUCCESS);
    EXPECT_GE(values, 10 * properties.metricCount) << "a row each 100 us";
    EXPECT_EQ(zetMetricStreamerClose(streamer), ZE_RESULT_SUCCESS);
}
TEST(IntelDriver, GetsTheCoreApisFacts) { EXPECT_RUNS(intel("intelDeviceGetsTheCoreApisFacts", Slots::both)); }

/// A variable whose libraries are missing fails zeInit, with and without the layer.
SCENARIO(intelInitialisation) { std::printf("zeInit: %#x\n", static_cast<unsigned>(zeInit(0))); }
TEST(IntelDriver, InitialisationIsTheDrivers) {
    for (const char* variable :
         {"ZET_ENABLE_METRICS", "ZET_ENABLE_PROGRAM_INSTRUMENTATION", "ZET_ENABLE_PROGRAM_DEBUGGING", "NONE"}) {
        const auto run = [&](Slots slots) { return intel("intelInitialisation", slots).with(variable, "1").run(); };
        const auto driver = run(Slots::none);
        EXPECT_EQ(run(Slots::both).output, driver.output) << variable;
        std::printf("%s=1: %s", variable, driver.output.c_str());
    }
}

}  // namespace
}  // namespace zetl::test
