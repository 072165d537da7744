// NVML's names, for machines without it: a card with fixed values. Energy grows with each look.
//
// STAND_IN_NVML=nvmlDeviceGetTemperature=3,... makes functions answer with an error.
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>

#include "nvidia/nvml/types.h"

using namespace zetl::nvidia;

namespace {

constexpr int kNotFound = 6;
constexpr const char* kUuid = "GPU-07070707-0707-0707-0707-070707070707";
int card;

int scripted(const char* function) {
    const char* const script = std::getenv("STAND_IN_NVML");
    const std::string wanted = std::string(function) + "=";
    const char* const found = script ? std::strstr(script, wanted.c_str()) : nullptr;
    return found ? std::atoi(found + wanted.size()) : 0;
}

template <class T>
int tell(const char* function, T* out, T value) {
    if (const int error = scripted(function); error != 0) return error;
    *out = value;
    return 0;
}

}  // namespace

extern "C" {

int nvmlInit_v2() { return scripted(__func__); }
const char* nvmlErrorString(int) { return "so the script says"; }

int nvmlDeviceGetHandleByUUID(const char* uuid, NvmlDevice* out) {
    if (std::strcmp(uuid, kUuid) != 0) return kNotFound;
    return tell(__func__, out, reinterpret_cast<NvmlDevice>(&card));
}
int nvmlDeviceGetTotalEnergyConsumption(NvmlDevice, unsigned long long* millijoules) {
    static std::atomic<unsigned long long> energy{1000};
    return tell(__func__, millijoules, energy++);
}
int nvmlDeviceGetEnforcedPowerLimit(NvmlDevice, unsigned* milliwatts) { return tell(__func__, milliwatts, 700'000u); }
int nvmlDeviceGetClockInfo(NvmlDevice, NvmlClock clock, unsigned* megahertz) {
    return tell(__func__, megahertz, clock == NvmlClock::sm ? 1500u : 2600u);
}
int nvmlDeviceGetMaxClockInfo(NvmlDevice, NvmlClock clock, unsigned* megahertz) {
    return tell(__func__, megahertz, clock == NvmlClock::sm ? 1980u : 2619u);
}
int nvmlDeviceGetCurrentClocksThrottleReasons(NvmlDevice, unsigned long long* reasons) {
    return tell(__func__, reasons, 0x24ull);
}
int nvmlDeviceGetTemperature(NvmlDevice, NvmlSensor, unsigned* degrees) { return tell(__func__, degrees, 41u); }
int nvmlDeviceGetTemperatureThreshold(NvmlDevice, NvmlThreshold, unsigned* degrees) {
    return tell(__func__, degrees, 92u);
}
int nvmlDeviceGetMemoryInfo(NvmlDevice, NvmlMemory* out) {
    return tell(__func__, out, NvmlMemory{16ull << 30, 12ull << 30, 4ull << 30});
}
int nvmlDeviceGetCurrPcieLinkGeneration(NvmlDevice, unsigned* out) { return tell(__func__, out, 4u); }
int nvmlDeviceGetCurrPcieLinkWidth(NvmlDevice, unsigned* out) { return tell(__func__, out, 8u); }
int nvmlDeviceGetMaxPcieLinkGeneration(NvmlDevice, unsigned* out) { return tell(__func__, out, 5u); }
int nvmlDeviceGetMaxPcieLinkWidth(NvmlDevice, unsigned* out) { return tell(__func__, out, 16u); }
}
