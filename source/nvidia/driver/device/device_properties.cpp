// What zeDeviceGet...Properties report. The levels of a GPU in Level Zero's words: one slice; a subslice is a streaming
// multiprocessor (SM), an execution unit one of its four sub-partitions, a thread a warp.
#include <algorithm>

#include "base/enumerate.h"
#include "driver/graph_properties.h"
#include "driver/output.h"
#include "driver/vector_widths.h"
#include "nvidia/driver/device/device.h"
#include "nvidia/driver/device/mutable_parts.h"
#include "nvidia/driver/device/queue_group.h"

namespace zetl::nvidia {
namespace {

constexpr std::uint32_t kVendor = 0x10de;
constexpr std::uint32_t kMaxArgumentBytes = 4096;
constexpr std::uint32_t kSpirvVersion = ZE_MAKE_VERSION(1, 2);
constexpr std::uint64_t kTicksPerSecond = 1'000'000'000;
constexpr char kNativeFormat[] = "zetl-cubin-elf64";

constexpr ze_device_fp_flags_t kFloatFlags = ZE_DEVICE_FP_FLAG_DENORM | ZE_DEVICE_FP_FLAG_INF_NAN |
                                             ZE_DEVICE_FP_FLAG_ROUND_TO_NEAREST | ZE_DEVICE_FP_FLAG_ROUND_TO_ZERO |
                                             ZE_DEVICE_FP_FLAG_ROUND_TO_INF | ZE_DEVICE_FP_FLAG_FMA |
                                             ZE_DEVICE_FP_FLAG_ROUNDED_DIVIDE_SQRT;
constexpr ze_memory_access_cap_flags_t kEveryAccess = ZE_MEMORY_ACCESS_CAP_FLAG_RW | ZE_MEMORY_ACCESS_CAP_FLAG_ATOMIC |
                                                      ZE_MEMORY_ACCESS_CAP_FLAG_CONCURRENT |
                                                      ZE_MEMORY_ACCESS_CAP_FLAG_CONCURRENT_ATOMIC;
constexpr ze_memory_access_cap_flags_t kNoHostAtomics =
    ZE_MEMORY_ACCESS_CAP_FLAG_RW | ZE_MEMORY_ACCESS_CAP_FLAG_ATOMIC | ZE_MEMORY_ACCESS_CAP_FLAG_CONCURRENT;

std::uint32_t count(int value) noexcept { return static_cast<std::uint32_t>(std::max(value, 0)); }

bool fillDeviceLink(const Attributes& device, ChainLink& link) {
    switch (static_cast<std::uint32_t>(link.stype)) {
        case ZE_STRUCTURE_TYPE_EU_COUNT_EXT:
            reinterpret_cast<ze_eu_count_ext_t&>(link).numTotalEUs = count(device.multiprocessors) * kSubPartitions;
            return true;
        case ZE_STRUCTURE_TYPE_MUTABLE_COMMAND_LIST_EXP_PROPERTIES:
            reinterpret_cast<ze_mutable_command_list_exp_properties_t&>(link).mutableCommandListFlags = 0;
            reinterpret_cast<ze_mutable_command_list_exp_properties_t&>(link).mutableCommandFlags = kMutableParts;
            return true;
        default:
            return driver::answerGraphProperties(link);
    }
}

}  // namespace

Status Device::getProperties(ze_device_properties_t* out) {
    clearBody(*out);
    out->type = ZE_DEVICE_TYPE_GPU;
    out->vendorId = kVendor;
    out->deviceId = static_cast<std::uint32_t>(attributes_.pciIdentity) >> 16;
    out->flags = attributes_.ecc ? ZE_DEVICE_PROPERTY_FLAG_ECC : 0;
    out->coreClockRate = count(attributes_.clockKilohertz) / 1000;
    out->maxMemAllocSize = attributes_.memoryBytes;
    out->maxHardwareContexts = 1;
    out->numSlices = 1;
    out->numSubslicesPerSlice = count(attributes_.multiprocessors);
    out->numEUsPerSubslice = kSubPartitions;
    out->physicalEUSimdWidth = count(attributes_.warp);
    out->numThreadsPerEU =
        count(attributes_.threadsPerMultiprocessor) / std::max(count(attributes_.warp), 1u) / kSubPartitions;
    const bool frequency = out->stype == ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2;
    out->timerResolution = frequency ? kTicksPerSecond : 1;
    out->timestampValidBits = out->kernelTimestampValidBits = 64;
    std::copy_n(attributes_.uuid.begin(), ZE_MAX_DEVICE_UUID_SIZE, out->uuid.id);
    assign(out->name, attributes_.name);
    forEachLink(out, frequency ? out->stype : ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES,
                [&](ChainLink& link) { return fillDeviceLink(attributes_, link); });
    return ZE_RESULT_SUCCESS;
}

Status Device::getComputeProperties(ze_device_compute_properties_t* out) {
    clearBody(*out);
    out->maxTotalGroupSize = count(attributes_.threadsPerBlock);
    out->maxGroupSizeX = count(attributes_.blockX);
    out->maxGroupSizeY = count(attributes_.blockY);
    out->maxGroupSizeZ = count(attributes_.blockZ);
    out->maxGroupCountX = count(attributes_.gridX);
    out->maxGroupCountY = count(attributes_.gridY);
    out->maxGroupCountZ = count(attributes_.gridZ);
    out->maxSharedLocalMemory = count(attributes_.sharedPerBlock);
    out->numSubGroupSizes = 1;
    out->subGroupSizes[0] = count(attributes_.warp);
    return ZE_RESULT_SUCCESS;
}

Status Device::getModuleProperties(ze_device_module_properties_t* out) {
    clearBody(*out);
    out->spirvVersionSupported = kSpirvVersion;
    out->flags = ZE_DEVICE_MODULE_FLAG_FP16 | ZE_DEVICE_MODULE_FLAG_FP64 | ZE_DEVICE_MODULE_FLAG_INT64_ATOMICS |
                 ZE_DEVICE_MODULE_FLAG_DP4A;
    out->fp16flags = out->fp32flags = out->fp64flags = kFloatFlags;
    out->maxArgumentsSize = kMaxArgumentBytes;
    static_assert(sizeof kNativeFormat == ZE_MAX_NATIVE_KERNEL_UUID_SIZE + 1);
    std::copy_n(kNativeFormat, ZE_MAX_NATIVE_KERNEL_UUID_SIZE, out->nativeKernelSupported.id);
    return ZE_RESULT_SUCCESS;
}

Status Device::getCommandQueueGroupProperties(std::uint32_t* number, ze_command_queue_group_properties_t* out) {
    const auto groups = queueGroups();
    return enumerateInto(static_cast<std::uint32_t>(groups.size()), number, out,
                         [&](std::uint32_t i, ze_command_queue_group_properties_t& group) {
                             clearBody(group);
                             group.flags = groups[i].flags;
                             group.maxMemoryFillPatternSize = SIZE_MAX;
                             group.numQueues = groups[i].queues;
                         });
}

Status Device::getMemoryProperties(std::uint32_t* number, ze_device_memory_properties_t* out) {
    return enumerateInto(1, number, out, [&](std::uint32_t, ze_device_memory_properties_t& memory) {
        clearBody(memory);
        memory.maxClockRate = count(attributes_.memoryClockKilohertz) / 1000;
        memory.maxBusWidth = count(attributes_.memoryBusBits);
        memory.totalSize = attributes_.memoryBytes;
        assign(memory.name, "device");
    });
}

Status Device::getMemoryAccessProperties(ze_device_memory_access_properties_t* out) {
    clearBody(*out);
    out->deviceAllocCapabilities = kEveryAccess;
    // Both are the host's memory; the bus makes device atomics there atomic for the device alone.
    out->hostAllocCapabilities = kNoHostAtomics;
    out->sharedSingleDeviceAllocCapabilities = kNoHostAtomics;
    out->sharedCrossDeviceAllocCapabilities = kNoHostAtomics;
    return ZE_RESULT_SUCCESS;
}

Status Device::getCacheProperties(std::uint32_t* number, ze_device_cache_properties_t* out) {
    return enumerateInto(1, number, out, [&](std::uint32_t, ze_device_cache_properties_t& cache) {
        clearBody(cache);
        cache.cacheSize = count(attributes_.cacheBytes);
    });
}

Status Device::getImageProperties(ze_device_image_properties_t* out) {
    clearBody(*out);
    return ZE_RESULT_SUCCESS;
}

Status Device::getExternalMemoryProperties(ze_device_external_memory_properties_t* out) {
    clearBody(*out);
    return ZE_RESULT_SUCCESS;
}

Status Device::pciGetProperties(ze_pci_ext_properties_t* out) {
    clearBody(*out);
    out->address = {count(attributes_.pciDomain), count(attributes_.pciBus), count(attributes_.pciDevice), 0};
    out->maxSpeed = {-1, -1, -1};
    return ZE_RESULT_SUCCESS;
}

Status Device::getVectorWidths(std::uint32_t* number, ze_device_vector_width_properties_ext_t* out) {
    constexpr driver::VectorWidths kWidths = {
        .bytes = 4, .ofChar = 1, .ofShort = 1, .ofInt = 1, .ofLong = 1, .ofHalf = 2, .ofFloat = 1, .ofDouble = 1};
    return driver::listVectorWidths(kWidths, number, out);
}

}  // namespace zetl::nvidia
