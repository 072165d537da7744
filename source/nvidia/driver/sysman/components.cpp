#include "nvidia/driver/sysman/components.h"

#include "nvidia/driver/device/device.h"
#include "nvidia/nvml/api.h"
#include "nvidia/nvml/result.h"

namespace zetl::nvidia {
namespace {

/// A number of NVML's that may not be known.
template <class F, class... A>
int knownOr(F* function, A... arguments) noexcept {
    unsigned value = 0;
    return function(arguments..., &value) == 0 ? static_cast<int>(value) : kUnknown;
}

zes_freq_throttle_reason_flags_t throttleReasons(NvmlDevice device) noexcept {
    unsigned long long bits = 0;
    if (nvml().nvmlDeviceGetCurrentClocksThrottleReasons(device, &bits) != 0) return 0;
    zes_freq_throttle_reason_flags_t reasons = 0;
    if (bits & kNvmlPowerCap) reasons |= ZES_FREQ_THROTTLE_REASON_FLAG_AVE_PWR_CAP;
    if (bits & kNvmlThermal) reasons |= ZES_FREQ_THROTTLE_REASON_FLAG_THERMAL_LIMIT;
    if (bits & kNvmlPowerBrake) reasons |= ZES_FREQ_THROTTLE_REASON_FLAG_PSU_ALERT;
    return reasons;
}

/// Stacked memory alone has so many lines.
constexpr int kStackedBusBits = 1024;

}  // namespace

bool PowerDomain::isMeasured(const MonitoredDevice& place, OnlyOne) noexcept {
    unsigned long long millijoules = 0;
    return nvml().nvmlDeviceGetTotalEnergyConsumption(place.nvml, &millijoules) == 0;
}

void PowerDomain::describe(zes_power_properties_t& out) const noexcept {
    clearSysman(out);
    out.defaultLimit = out.minLimit = kUnknown;
    out.maxLimit = knownOr(nvml().nvmlDeviceGetEnforcedPowerLimit, nvmlDevice());
}

Result<zes_power_energy_counter_t> PowerDomain::energy() const noexcept {
    constexpr std::uint64_t kMicrojoulesInMillijoule = 1000;
    unsigned long long millijoules = 0;
    const Status bad = ZETL_NVML(nvmlDeviceGetTotalEnergyConsumption(nvmlDevice(), &millijoules));
    if (bad != ZE_RESULT_SUCCESS) return bad;
    return zes_power_energy_counter_t{millijoules * kMicrojoulesInMillijoule, sampleTime()};
}

bool FrequencyDomain::isMeasured(const MonitoredDevice& place, NvmlClock clock) noexcept {
    return knownOr(nvml().nvmlDeviceGetClockInfo, place.nvml, clock) != kUnknown;
}

void FrequencyDomain::describe(zes_freq_properties_t& out) const noexcept {
    clearSysman(out);
    out.type = kind() == NvmlClock::memory ? ZES_FREQ_DOMAIN_MEMORY : ZES_FREQ_DOMAIN_GPU;
    out.min = kUnknown;
    out.max = knownOr(nvml().nvmlDeviceGetMaxClockInfo, nvmlDevice(), kind());
}

Status FrequencyDomain::state(zes_freq_state_t& out) const noexcept {
    unsigned megahertz = 0;
    const Status bad = ZETL_NVML(nvmlDeviceGetClockInfo(nvmlDevice(), kind(), &megahertz));
    if (bad != ZE_RESULT_SUCCESS) return bad;
    clearSysman(out);
    out.currentVoltage = out.request = out.tdp = out.efficient = kUnknown;
    out.actual = megahertz;
    if (kind() == NvmlClock::sm) out.throttleReasons = throttleReasons(nvmlDevice());
    return ZE_RESULT_SUCCESS;
}

bool TemperatureSensor::isMeasured(const MonitoredDevice& place, NvmlSensor sensor) noexcept {
    return knownOr(nvml().nvmlDeviceGetTemperature, place.nvml, sensor) != kUnknown;
}

void TemperatureSensor::describe(zes_temp_properties_t& out) const noexcept {
    clearSysman(out);
    out.type = ZES_TEMP_SENSORS_GPU;
    out.maxTemperature = knownOr(nvml().nvmlDeviceGetTemperatureThreshold, nvmlDevice(), NvmlThreshold::shutdown);
}

Result<double> TemperatureSensor::degrees() const noexcept {
    unsigned degrees = 0;
    const Status bad = ZETL_NVML(nvmlDeviceGetTemperature(nvmlDevice(), kind(), &degrees));
    if (bad != ZE_RESULT_SUCCESS) return bad;
    return static_cast<double>(degrees);
}

bool MemoryModule::isMeasured(const MonitoredDevice& place, OnlyOne) noexcept {
    NvmlMemory memory;
    return nvml().nvmlDeviceGetMemoryInfo(place.nvml, &memory) == 0;
}

void MemoryModule::describe(zes_mem_properties_t& out) const noexcept {
    clearSysman(out);
    const Attributes& device = place().device->attributes();
    out.type = device.memoryBusBits >= kStackedBusBits ? ZES_MEM_TYPE_HBM : ZES_MEM_TYPE_GDDR6;
    out.location = ZES_MEM_LOC_DEVICE;
    out.physicalSize = device.memoryBytes;
    out.busWidth = device.memoryBusBits;
    out.numChannels = kUnknown;
}

Status MemoryModule::state(zes_mem_state_t& out) const noexcept {
    NvmlMemory memory;
    const Status bad = ZETL_NVML(nvmlDeviceGetMemoryInfo(nvmlDevice(), &memory));
    if (bad != ZE_RESULT_SUCCESS) return bad;
    clearSysman(out);
    out.health = ZES_MEM_HEALTH_UNKNOWN;
    out.size = memory.total;
    out.free = memory.free;
    return ZE_RESULT_SUCCESS;
}

}  // namespace zetl::nvidia
