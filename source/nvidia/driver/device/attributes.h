// CUDA's description of a device, read once.
#pragma once

#include <cuda.h>

#include <array>
#include <cstdint>
#include <string>

#include "base/result.h"

namespace zetl::nvidia {

/// Constant facts, in Level Zero's units where those exist.
struct Attributes {
    std::string name;
    std::array<std::uint8_t, 16> uuid{};
    std::uint64_t memoryBytes = 0;
    int multiprocessors = 0;
    int threadsPerMultiprocessor = 0;
    int threadsPerBlock = 0;
    int blockX = 0;
    int blockY = 0;
    int blockZ = 0;
    int gridX = 0;
    int gridY = 0;
    int gridZ = 0;
    int warp = 0;
    int sharedPerBlock = 0;  ///< the most that a launch can ask for
    int reservedShared = 0;  ///< bytes at the beginning of each block's shared memory that the system uses
    int clockKilohertz = 0;
    int memoryClockKilohertz = 0;
    int memoryBusBits = 0;
    int cacheBytes = 0;
    int copyEngines = 0;
    int pciDomain = 0;
    int pciBus = 0;
    int pciDevice = 0;
    int pciIdentity = 0;  ///< device id << 16 | vendor id; 0 if the driver does not report it
    /// compute capability
    int major = 0;
    int minor = 0;
    int ecc = 0;
    int cooperative = 0;
};

/// Per streaming multiprocessor (SM), in every chip since Maxwell.
inline constexpr std::uint32_t kSubPartitions = 4;

Result<Attributes> attributesOf(CUdevice device);

}  // namespace zetl::nvidia
