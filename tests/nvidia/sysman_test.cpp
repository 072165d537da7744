// Sysman on NVIDIA's GPUs: what NVML measures.
#include <dlfcn.h>
#include <level_zero/zes_api.h>

#include <cstdlib>

#include "nvidia_gpu.h"

namespace zetl::test {
namespace {

/// With the stand-in for NVML; `failure` names functions of it that answer with an error.
Process onMonitor(const std::string& scenario, const std::string& failure = "") {
    auto process = onNvidia(scenario);
    if (!realGpu())
        process.with("LD_LIBRARY_PATH", inBuildTree("tests/nvidia/nvml_stand_in")).with("STAND_IN_NVML", failure);
    return process;
}

template <class H, class F>
std::vector<H> listedBy(F* list, zes_device_handle_t device) {
    std::uint32_t count = 0;
    EXPECT_OK(list(device, &count, nullptr));
    std::vector<H> handles(count);
    EXPECT_OK(list(device, &count, handles.data()));
    return handles;
}
#define COMPONENTS(gpu, handle, name) listedBy<handle>(DRIVER_CALL(gpu, name), (gpu).device())

SCENARIO(cardIsMonitored) {
    const Gpu gpu;
    ASSERT_OK(DRIVER_CALL(gpu, zesInit)(0));
    std::uint32_t one = 1;
    zes_driver_handle_t driver = nullptr;
    zes_device_handle_t device = nullptr;
    ASSERT_OK(DRIVER_CALL(gpu, zesDriverGet)(&one, &driver));
    ASSERT_OK(DRIVER_CALL(gpu, zesDeviceGet)(driver, &one, &device));
    EXPECT_EQ(device, gpu.device());
    zes_device_properties_t properties{};
    properties.stype = ZES_STRUCTURE_TYPE_DEVICE_PROPERTIES;
    ASSERT_OK(DRIVER_CALL(gpu, zesDeviceGetProperties)(device, &properties));
    EXPECT_STREQ(properties.vendorName, "NVIDIA");
    EXPECT_STREQ(properties.modelName, properties.core.name);
    EXPECT_EQ(properties.numSubdevices, 0u);
    zes_device_state_t condition{};
    EXPECT_OK(DRIVER_CALL(gpu, zesDeviceGetState)(device, &condition));
    EXPECT_EQ(condition.reset, 0u);

    for (auto* const power : COMPONENTS(gpu, zes_pwr_handle_t, zesDeviceEnumPowerDomains)) {
        zes_power_energy_counter_t before{};
        zes_power_energy_counter_t after{};
        ASSERT_OK(DRIVER_CALL(gpu, zesPowerGetEnergyCounter)(power, &before));
        ASSERT_OK(DRIVER_CALL(gpu, zesPowerGetEnergyCounter)(power, &after));
        EXPECT_GT(before.energy, 0u);
        EXPECT_GE(after.energy, before.energy);
        EXPECT_GE(after.timestamp, before.timestamp);
    }
    for (auto* const clock : COMPONENTS(gpu, zes_freq_handle_t, zesDeviceEnumFrequencyDomains)) {
        zes_freq_properties_t limits{};
        zes_freq_state_t now{};
        ASSERT_OK(DRIVER_CALL(gpu, zesFrequencyGetProperties)(clock, &limits));
        ASSERT_OK(DRIVER_CALL(gpu, zesFrequencyGetState)(clock, &now));
        EXPECT_GT(now.actual, 0);
        EXPECT_LE(now.actual, limits.max);
        EXPECT_FALSE(limits.canControl);
    }
    for (auto* const sensor : COMPONENTS(gpu, zes_temp_handle_t, zesDeviceEnumTemperatureSensors)) {
        double degrees = 0;
        ASSERT_OK(DRIVER_CALL(gpu, zesTemperatureGetState)(sensor, &degrees));
        EXPECT_GT(degrees, 0);
        EXPECT_LT(degrees, 120);
    }
    const auto modules = COMPONENTS(gpu, zes_mem_handle_t, zesDeviceEnumMemoryModules);
    ASSERT_EQ(modules.size(), 1u);
    zes_mem_state_t memory{};
    ASSERT_OK(DRIVER_CALL(gpu, zesMemoryGetState)(modules[0], &memory));
    EXPECT_GT(memory.free, 0u);
    EXPECT_LE(memory.free, memory.size);
    zes_pci_properties_t link{};
    zes_pci_state_t speed{};
    ASSERT_OK(DRIVER_CALL(gpu, zesDevicePciGetProperties)(device, &link));
    ASSERT_OK(DRIVER_CALL(gpu, zesDevicePciGetState)(device, &speed));
    EXPECT_LE(speed.speed.gen, link.maxSpeed.gen);
    EXPECT_FALSE(link.haveBandwidthCounters);
}
TEST(NvidiaSysman, MonitorsTheCard) { EXPECT_RUNS(onMonitor("cardIsMonitored")); }

/// The stand-in's values, each in its place and unit.
SCENARIO(valuesAreNvmls) {
    const Gpu gpu;
    ASSERT_OK(DRIVER_CALL(gpu, zesInit)(0));
    const auto power = COMPONENTS(gpu, zes_pwr_handle_t, zesDeviceEnumPowerDomains);
    ASSERT_EQ(power.size(), 1u);
    zes_power_properties_t limits{};
    zes_power_energy_counter_t energy{};
    ASSERT_OK(DRIVER_CALL(gpu, zesPowerGetProperties)(power[0], &limits));
    ASSERT_OK(DRIVER_CALL(gpu, zesPowerGetEnergyCounter)(power[0], &energy));
    EXPECT_EQ(limits.maxLimit, 700'000);
    EXPECT_EQ(limits.minLimit, -1);
    EXPECT_EQ(energy.energy, 1'001'000u) << "microjoules, behind the look that found the domain";
    const auto clocks = COMPONENTS(gpu, zes_freq_handle_t, zesDeviceEnumFrequencyDomains);
    ASSERT_EQ(clocks.size(), 2u);
    for (std::size_t i = 0; i < 2; ++i) {
        zes_freq_properties_t clock{};
        zes_freq_state_t now{};
        ASSERT_OK(DRIVER_CALL(gpu, zesFrequencyGetProperties)(clocks[i], &clock));
        ASSERT_OK(DRIVER_CALL(gpu, zesFrequencyGetState)(clocks[i], &now));
        EXPECT_EQ(clock.type, i == 0 ? ZES_FREQ_DOMAIN_GPU : ZES_FREQ_DOMAIN_MEMORY);
        EXPECT_EQ(clock.max, i == 0 ? 1980 : 2619);
        EXPECT_EQ(now.actual, i == 0 ? 1500 : 2600);
        EXPECT_EQ(now.request, -1);
        constexpr zes_freq_throttle_reason_flags_t kBoth =
            ZES_FREQ_THROTTLE_REASON_FLAG_AVE_PWR_CAP | ZES_FREQ_THROTTLE_REASON_FLAG_THERMAL_LIMIT;
        EXPECT_EQ(now.throttleReasons, i == 0 ? kBoth : 0u);
    }
    const auto sensors = COMPONENTS(gpu, zes_temp_handle_t, zesDeviceEnumTemperatureSensors);
    ASSERT_EQ(sensors.size(), 1u);
    zes_temp_properties_t sensor{};
    double degrees = 0;
    ASSERT_OK(DRIVER_CALL(gpu, zesTemperatureGetProperties)(sensors[0], &sensor));
    ASSERT_OK(DRIVER_CALL(gpu, zesTemperatureGetState)(sensors[0], &degrees));
    EXPECT_EQ(sensor.type, ZES_TEMP_SENSORS_GPU);
    EXPECT_EQ(sensor.maxTemperature, 92);
    EXPECT_EQ(degrees, 41);
    const auto modules = COMPONENTS(gpu, zes_mem_handle_t, zesDeviceEnumMemoryModules);
    ASSERT_EQ(modules.size(), 1u);
    zes_mem_state_t memory{};
    zes_mem_properties_t module{};
    ASSERT_OK(DRIVER_CALL(gpu, zesMemoryGetState)(modules[0], &memory));
    ASSERT_OK(DRIVER_CALL(gpu, zesMemoryGetProperties)(modules[0], &module));
    EXPECT_EQ(memory.size, 16ull << 30);
    EXPECT_EQ(memory.free, 12ull << 30);
    EXPECT_EQ(module.location, ZES_MEM_LOC_DEVICE);
    zes_pci_properties_t link{};
    zes_pci_state_t now{};
    ASSERT_OK(DRIVER_CALL(gpu, zesDevicePciGetProperties)(gpu.device(), &link));
    ASSERT_OK(DRIVER_CALL(gpu, zesDevicePciGetState)(gpu.device(), &now));
    EXPECT_EQ(link.maxSpeed.gen, 5);
    EXPECT_EQ(link.maxSpeed.width, 16);
    EXPECT_EQ(now.speed.gen, 4);
    EXPECT_EQ(now.speed.width, 8);

    // A handle of another kind, and none.
    zes_power_properties_t none{};
    EXPECT_EQ(DRIVER_CALL(gpu, zesPowerGetProperties)(reinterpret_cast<zes_pwr_handle_t>(gpu.device()), &none),
              ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    EXPECT_EQ(DRIVER_CALL(gpu, zesPowerGetProperties)(nullptr, &none), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    EXPECT_EQ(DRIVER_CALL(gpu, zesTemperatureGetState)(sensors[0], nullptr), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    EXPECT_EQ(DRIVER_CALL(gpu, zesInit)(0x80), ZE_RESULT_ERROR_INVALID_ENUMERATION);
}
TEST(NvidiaSysman, ValuesAreNvmls) {
    if (realGpu()) GTEST_SKIP() << "the stand-in's values";
    EXPECT_RUNS(onMonitor("valuesAreNvmls"));
}

SCENARIO(whatIsNotMeasuredIsNotListed) {
    const Gpu gpu;
    ASSERT_OK(DRIVER_CALL(gpu, zesInit)(0));
    EXPECT_TRUE(COMPONENTS(gpu, zes_pwr_handle_t, zesDeviceEnumPowerDomains).empty());
    EXPECT_TRUE(COMPONENTS(gpu, zes_temp_handle_t, zesDeviceEnumTemperatureSensors).empty());
    EXPECT_EQ(COMPONENTS(gpu, zes_freq_handle_t, zesDeviceEnumFrequencyDomains).size(), 2u);
    zes_pci_state_t now{};
    ASSERT_OK(DRIVER_CALL(gpu, zesDevicePciGetState)(gpu.device(), &now));
    EXPECT_EQ(now.speed.gen, -1);
}
TEST(NvidiaSysman, WhatIsNotMeasuredIsNotListed) {
    if (realGpu()) GTEST_SKIP() << "the stand-in's errors";
    EXPECT_RUNS(onMonitor("whatIsNotMeasuredIsNotListed",
                          "nvmlDeviceGetTotalEnergyConsumption=3,nvmlDeviceGetTemperature=3,"
                          "nvmlDeviceGetCurrPcieLinkGeneration=3"));
}

SCENARIO(sysmanHasToBeStarted) {
    const Gpu gpu;
    std::uint32_t count = 0;
    EXPECT_EQ(DRIVER_CALL(gpu, zesDriverGet)(&count, nullptr), ZE_RESULT_ERROR_UNINITIALIZED);
    EXPECT_EQ(DRIVER_CALL(gpu, zesDeviceEnumPowerDomains)(gpu.device(), &count, nullptr),
              std::getenv("ZES_ENABLE_SYSMAN") ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_UNINITIALIZED);
}
TEST(NvidiaSysman, HasToBeStarted) {
    EXPECT_RUNS(onMonitor("sysmanHasToBeStarted"));
    EXPECT_RUNS(onMonitor("sysmanHasToBeStarted").with("ZES_ENABLE_SYSMAN", "1"));
}

SCENARIO(sysmanLacksNvml) {
    const Gpu gpu;
    EXPECT_EQ(DRIVER_CALL(gpu, zesInit)(0), ZE_RESULT_ERROR_UNINITIALIZED);
}
TEST(NvidiaSysman, SaysThatNvmlIsMissing) {
    if (dlopen("libnvidia-ml.so.1", RTLD_LAZY)) GTEST_SKIP() << "it is not missing";
    const auto outcome = onStandIn("sysmanLacksNvml").run();
    EXPECT_TRUE(outcome.good()) << outcome;
    EXPECT_NE(outcome.output.find("libnvidia-ml.so.1"), std::string::npos) << outcome;
    EXPECT_RUNS(onMonitor("sysmanLacksNvml", "nvmlInit_v2=9"));
}

}  // namespace
}  // namespace zetl::test
