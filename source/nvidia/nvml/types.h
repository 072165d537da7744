// What NVML's functions take. NVIDIA's driver brings the library, but no header; these are the values and layouts of
// NVIDIA's NVML reference.
#pragma once

#include <cstdint>

namespace zetl::nvidia {

using NvmlDevice = struct nvmlDevice_st*;

enum class NvmlClock : int { sm = 1, memory = 2 };
enum class NvmlSensor : int { gpu = 0 };
enum class NvmlThreshold : int { shutdown = 0 };

struct NvmlMemory {
    unsigned long long total = 0;
    unsigned long long free = 0;
    unsigned long long used = 0;
};

/// Bits of why clocks are lower than they could be.
inline constexpr std::uint64_t kNvmlPowerCap = 0x4;
inline constexpr std::uint64_t kNvmlThermal = 0x20 | 0x40;
inline constexpr std::uint64_t kNvmlPowerBrake = 0x80;

/// Errors that mean more than that something failed.
inline constexpr int kNvmlNotSupported = 3;
inline constexpr int kNvmlNoPermission = 4;
inline constexpr int kNvmlLost = 15;

}  // namespace zetl::nvidia
