// Intel's own driver, in the capture mode that needs no device (docs: a real program on a real driver).
#include <cstdio>

#include "layer/tracer.h"
#include "support/scenario.h"

namespace zetl::test {
namespace {

/// Debian 12's driver, 22.43, as a DG2 that writes command streams nowhere.
Process intel(const std::string& scenario, Slots slots) {
    auto process = fresh(scenario, slots)
                       .with("ZE_ENABLE_ALT_DRIVERS", "libze_intel_gpu.so.1")
                       .with("NEOReadDebugKeys", "1")
                       .with("SetCommandStreamReceiver", "1")
                       .with("ProductFamilyOverride", "dg2")
                       .with("HardwareInfoOverride", "8x4x16");
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

/// This driver dies in zetDeviceGetDebugProperties when it is called without hardware.
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

SCENARIO(intelDebugAttachDoesNotCrash) {
    const zet_debug_config_t config{};
    zet_debug_session_handle_t session = nullptr;
    EXPECT_NE(zetDebugAttach(Objects::get().device, &config, &session), ZE_RESULT_SUCCESS);
}
TEST(IntelDriver, DebugAttachDoesNotCrash) { EXPECT_RUNS(intel("intelDebugAttachDoesNotCrash", Slots::both)); }

SCENARIO(intelMetricGroupsAreCounted) {
    std::uint32_t count = 7;
    EXPECT_EQ(zetMetricGroupGet(Objects::get().device, &count, nullptr), ZE_RESULT_SUCCESS);
    EXPECT_EQ(count, 0u);
}
TEST(IntelDriver, MetricGroups) { EXPECT_RUNS(intel("intelMetricGroupsAreCounted", Slots::both)); }

}  // namespace
}  // namespace zetl::test
