#include "emulator/driver/device/device_properties.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <span>
#include <string_view>

#include "base/enumerate.h"
#include "driver/graph_properties.h"
#include "driver/mutability.h"
#include "driver/output.h"
#include "driver/vector_widths.h"
#include "emulator/driver/device/device.h"
#include "emulator/driver/device/driver.h"
#include "emulator/driver/device/external_memory_types.h"
#include "emulator/driver/shared_parts.h"
#include "emulator/machine/capabilities.h"
#include "emulator/module/printf.h"
#include "isa/xe/architecture.h"

namespace zetl::emulator::driver {
namespace {

/// What every compiler takes that builds for the device: 22.43, which builds for Xe-HPC alone, refuses 1.5 (measured).
std::uint32_t spirvVersion(const machine::DeviceProfile& profile) noexcept {
    return ZE_MAKE_VERSION(1, &profile.architecture() == &::zetl::isa::xe::kXeHpc ? 4 : 5);
}
constexpr std::uint32_t kMaxGroupCount = 0xffffffffu;
constexpr std::uint32_t kHardwareContexts = 1024 * 64;
constexpr std::uint64_t kNanosecondsPerSecond = 1'000'000'000;

// ze_device_readonly_memory_ext_properties_t, which headers before specification 1.16 do not have.
constexpr std::uint32_t kReadonlyMemoryProperties = 0x00010015;
constexpr std::uint32_t kReadonlyEnforced = 2;
struct ReadonlyMemoryProperties {
    ze_structure_type_t stype;
    void* pNext;
    std::uint32_t readonlyCapability;
};

// ze_device_cache_line_size_ext_t, which headers before specification 1.13 do not have.
constexpr std::uint32_t kCacheLineSize = 0x00020028;
constexpr std::size_t kCacheLineBytes = 64;
struct CacheLineSize {
    ze_structure_type_t stype;
    const void* pNext;
    std::size_t cacheLineSize;
};

// ze_device_usablemem_size_ext_properties_t, which headers before specification 1.15 do not have.
constexpr std::uint32_t kUsableMemory = 0x00020041;
struct UsableMemory {
    ze_structure_type_t stype;
    void* pNext;
    std::uint64_t currentUsableBytes;
};

// zex_device_module_register_file_exp_t of Intel's driver.
constexpr auto kRegisterFiles = static_cast<ze_structure_type_t>(0x00030010);
struct RegisterFiles {
    std::uint32_t stype;
    const void* pNext;
    std::uint32_t registerFileSizesCount;
    std::uint32_t* registerFileSizes;
};

// ze_pitched_alloc_2dimage_linear_pitch_exp_info_t, which headers before specification 1.13 do not have.
constexpr auto kLinearPitch = static_cast<ze_structure_type_t>(0x00020038);
struct LinearPitch {
    ze_structure_type_t stype;
    void* pNext;
    std::size_t pitchAlign;
    std::size_t maxSupportedPitch;
};

constexpr ze_device_fp_flags_t kFloatFlags = ZE_DEVICE_FP_FLAG_DENORM | ZE_DEVICE_FP_FLAG_INF_NAN |
                                             ZE_DEVICE_FP_FLAG_ROUND_TO_NEAREST | ZE_DEVICE_FP_FLAG_ROUND_TO_ZERO |
                                             ZE_DEVICE_FP_FLAG_ROUND_TO_INF | ZE_DEVICE_FP_FLAG_FMA;
constexpr ze_memory_access_cap_flags_t kEveryAccess = ZE_MEMORY_ACCESS_CAP_FLAG_RW | ZE_MEMORY_ACCESS_CAP_FLAG_ATOMIC |
                                                      ZE_MEMORY_ACCESS_CAP_FLAG_CONCURRENT |
                                                      ZE_MEMORY_ACCESS_CAP_FLAG_CONCURRENT_ATOMIC;

std::uint64_t timerResolution(const machine::DeviceProfile& profile, ze_structure_type_t type) {
    return type == ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2
               ? profile.timerHz
               : std::max<std::uint64_t>(1, kNanosecondsPerSecond / profile.timerHz);
}

/// GT_MEMORY_TYPES of Intel's driver: what it calls them, and Level Zero's kinds.
struct MemoryType {
    const char* name;
    ze_device_memory_ext_type_t type;
};
const MemoryType& memoryTypeOf(const machine::DeviceProfile& profile) noexcept {
    static constexpr MemoryType kTypes[] = {
        {"DDR", ZE_DEVICE_MEMORY_EXT_TYPE_LPDDR4}, {"DDR", ZE_DEVICE_MEMORY_EXT_TYPE_LPDDR5},
        {"HBM", ZE_DEVICE_MEMORY_EXT_TYPE_HBM2},   {"HBM", ZE_DEVICE_MEMORY_EXT_TYPE_HBM2},
        {"DDR", ZE_DEVICE_MEMORY_EXT_TYPE_GDDR6},
    };
    return kTypes[std::min<std::size_t>(profile.memoryType, std::size(kTypes) - 1)];
}

bool fillDeviceLink(Device& device, ChainLink& link) {
    switch (static_cast<std::uint32_t>(link.stype)) {
        case ZE_STRUCTURE_TYPE_EU_COUNT_EXT:
            reinterpret_cast<ze_eu_count_ext_t&>(link).numTotalEUs = device.profile().eus() * device.tiles();
            return true;
        case ZE_STRUCTURE_TYPE_DEVICE_IP_VERSION_EXT:
            reinterpret_cast<ze_device_ip_version_ext_t&>(link).ipVersion = device.profile().product->ip.packed();
            return true;
        case ZE_STRUCTURE_TYPE_EVENT_QUERY_KERNEL_TIMESTAMPS_EXT_PROPERTIES:
            reinterpret_cast<ze_event_query_kernel_timestamps_ext_properties_t&>(link).flags =
                ZE_EVENT_QUERY_KERNEL_TIMESTAMPS_EXT_FLAG_KERNEL |
                ZE_EVENT_QUERY_KERNEL_TIMESTAMPS_EXT_FLAG_SYNCHRONIZED;
            return true;
        case kReadonlyMemoryProperties:
            reinterpret_cast<ReadonlyMemoryProperties&>(link).readonlyCapability = kReadonlyEnforced;
            return true;
        case ZE_STRUCTURE_TYPE_DEVICE_RAYTRACING_EXT_PROPERTIES:
            reinterpret_cast<ze_device_raytracing_ext_properties_t&>(link).flags = 0;
            reinterpret_cast<ze_device_raytracing_ext_properties_t&>(link).maxBVHLevels = 0;
            return true;
        case ZE_STRUCTURE_TYPE_MUTABLE_COMMAND_LIST_EXP_PROPERTIES:
            reinterpret_cast<ze_mutable_command_list_exp_properties_t&>(link).mutableCommandListFlags = 0;
            reinterpret_cast<ze_mutable_command_list_exp_properties_t&>(link).mutableCommandFlags =
                zetl::driver::kMutableByDefault | zetl::driver::kMutableKernel;
            return true;
        case kUsableMemory: {
            const auto& budget = device.memoryBudget();
            reinterpret_cast<UsableMemory&>(link).currentUsableBytes = budget->limit() - budget->used();
            return true;
        }
        default:
            return answerGraphProperties(link);
    }
}

void fillRegisterFiles(std::span<const std::uint32_t> counts, RegisterFiles& out) {
    const auto available = static_cast<std::uint32_t>(counts.size());
    out.registerFileSizesCount = out.registerFileSizes ? std::min(out.registerFileSizesCount, available) : available;
    if (out.registerFileSizes) std::copy_n(counts.begin(), out.registerFileSizesCount, out.registerFileSizes);
}

/// True for each device if all of them are tiles of one card.
bool isTileOfOnlyCard(const Device& device) {
    const auto& all = Driver::instance().devices();
    const auto& first = all.front()->machine();
    if (!std::ranges::all_of(all, [&](const auto& each) { return &each->machine() == &first; })) return false;
    return device.isSubDevice() || all.size() > 1 || Driver::instance().listed().size() > 1;
}

void fillFloatAtomics(const machine::DeviceProfile& profile, ze_float_atomic_ext_properties_t& out) {
    namespace atomics = machine::float_atomics;
    static_assert(atomics::kGlobalExchange == ZE_DEVICE_FP_ATOMIC_EXT_FLAG_GLOBAL_LOAD_STORE &&
                  atomics::kGlobalAdd == ZE_DEVICE_FP_ATOMIC_EXT_FLAG_GLOBAL_ADD &&
                  atomics::kGlobalMinMax == ZE_DEVICE_FP_ATOMIC_EXT_FLAG_GLOBAL_MIN_MAX &&
                  atomics::kLocalExchange == ZE_DEVICE_FP_ATOMIC_EXT_FLAG_LOCAL_LOAD_STORE &&
                  atomics::kLocalAdd == ZE_DEVICE_FP_ATOMIC_EXT_FLAG_LOCAL_ADD &&
                  atomics::kLocalMinMax == ZE_DEVICE_FP_ATOMIC_EXT_FLAG_LOCAL_MIN_MAX);
    out.fp16Flags = profile.halfAtomics;
    out.fp32Flags = profile.floatAtomics;
    out.fp64Flags = profile.doubleAtomics;
}

/// Of the link to the host, the most that the device can, in bytes per second; -1 for what is not known.
ze_pci_speed_ext_t linkSpeed(const machine::DeviceProfile& profile) noexcept {
    if (profile.pciGeneration == 0) return {-1, -1, -1};
    // 8 gigatransfers a second from the third generation on, each one twice as many; 128 bits of 130 are data.
    const std::int64_t transfers = std::int64_t{8'000'000'000} << (profile.pciGeneration - 3);
    const std::int64_t bytes = transfers * 128 / 130 / 8 * profile.pciLanes;
    return {static_cast<std::int32_t>(profile.pciGeneration), static_cast<std::int32_t>(profile.pciLanes), bytes};
}

}  // namespace

Status describeDevice(Device& device, ze_device_properties_t& out) {
    const machine::DeviceProfile& profile = device.profile();
    clearBody(out);
    out.type = ZE_DEVICE_TYPE_GPU;
    out.vendorId = profile.vendorId;
    out.deviceId = profile.deviceId;
    out.flags = ZE_DEVICE_PROPERTY_FLAG_ONDEMANDPAGING;
    if (profile.errorCorrection != 0) out.flags |= ZE_DEVICE_PROPERTY_FLAG_ECC;
    if (profile.integrated != 0) out.flags |= ZE_DEVICE_PROPERTY_FLAG_INTEGRATED;
    if (device.isSubDevice()) out.flags |= ZE_DEVICE_PROPERTY_FLAG_SUBDEVICE;
    out.subdeviceId = device.firstTile();
    out.coreClockRate = profile.coreClockMhz;
    out.maxMemAllocSize = profile.maxAllocationBytes;
    out.maxHardwareContexts = kHardwareContexts;
    out.maxCommandQueuePriority = 0;
    out.numThreadsPerEU = profile.threadsPerEu;
    out.physicalEUSimdWidth = profile.architecture().engineLanes;
    out.numEUsPerSubslice = profile.eusPerSubslice;
    out.numSubslicesPerSlice = profile.subslicesPerSlice;
    out.numSlices = profile.slices * device.tiles();
    out.timerResolution = timerResolution(profile, out.stype);
    out.timestampValidBits = profile.timestampValidBits;
    out.kernelTimestampValidBits = profile.kernelTimestampValidBits;
    out.uuid = device.uuid();
    assign(out.name, device.name());
    const auto type =
        out.stype == ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2 ? out.stype : ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
    Status status = ZE_RESULT_SUCCESS;
    forEachLink(&out, type, [&](ChainLink& link) {
        if (link.stype != ZE_STRUCTURE_TYPE_DEVICE_LUID_EXT_PROPERTIES) return fillDeviceLink(device, link);
        status = refuse(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE,
                        "devices have LUIDs on Windows alone; leave out ze_device_luid_ext_properties_t");
        return true;
    });
    return status;
}

Status describeCompute(Device& device, ze_device_compute_properties_t& out) {
    const machine::DeviceProfile& profile = device.profile();
    clearBody(out);
    out.maxTotalGroupSize = profile.maxGroupSize;
    out.maxGroupSizeX = out.maxGroupSizeY = out.maxGroupSizeZ = profile.maxGroupSize;
    out.maxGroupCountX = out.maxGroupCountY = out.maxGroupCountZ = kMaxGroupCount;
    out.maxSharedLocalMemory = profile.slmBytes;
    const auto sizes = profile.architecture().subGroupSizes;
    out.numSubGroupSizes = static_cast<std::uint32_t>(sizes.size());
    std::ranges::copy(sizes, out.subGroupSizes);
    return ZE_RESULT_SUCCESS;
}

Status describeModules(Device& device, ze_device_module_properties_t& out) {
    clearBody(out);
    out.spirvVersionSupported = spirvVersion(device.profile());
    out.flags = ZE_DEVICE_MODULE_FLAG_FP16 | ZE_DEVICE_MODULE_FLAG_FP64 | ZE_DEVICE_MODULE_FLAG_INT64_ATOMICS |
                ZE_DEVICE_MODULE_FLAG_DP4A;
    out.fp16flags = kFloatFlags;
    out.fp32flags = kFloatFlags | ZE_DEVICE_FP_FLAG_ROUNDED_DIVIDE_SQRT;
    out.fp64flags = kFloatFlags | ZE_DEVICE_FP_FLAG_ROUNDED_DIVIDE_SQRT;
    out.maxArgumentsSize = machine::kMaxArgumentBytes;
    out.printfBufferSize = module::kPrintfBufferBytes;
    const auto format = device.profile().architecture().nativeFormat;
    std::copy_n(format.begin(), std::min<std::size_t>(format.size(), ZE_MAX_NATIVE_KERNEL_UUID_SIZE),
                out.nativeKernelSupported.id);
    forEachLink(&out, ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES, [&](ChainLink& link) {
        if (link.stype == ZE_STRUCTURE_TYPE_FLOAT_ATOMIC_EXT_PROPERTIES)
            fillFloatAtomics(device.profile(), reinterpret_cast<ze_float_atomic_ext_properties_t&>(link));
        else if (link.stype == ZE_STRUCTURE_TYPE_SCHEDULING_HINT_EXP_PROPERTIES)
            reinterpret_cast<ze_scheduling_hint_exp_properties_t&>(link).schedulingHintFlags = 0;  // as Intel's driver
        else if (link.stype == kRegisterFiles)
            fillRegisterFiles(device.profile().architecture().registerCounts, reinterpret_cast<RegisterFiles&>(link));
        else
            return false;
        return true;
    });
    return ZE_RESULT_SUCCESS;
}

/// What Intel's driver says: access from several devices to what they share only among the tiles of one card.
Status describeMemoryAccess(Device& device, ze_device_memory_access_properties_t& out) {
    clearBody(out);
    constexpr ze_memory_access_cap_flags_t kPlain = ZE_MEMORY_ACCESS_CAP_FLAG_RW;
    constexpr ze_memory_access_cap_flags_t kWithAtomics = kPlain | ZE_MEMORY_ACCESS_CAP_FLAG_ATOMIC;
    out.hostAllocCapabilities = device.profile().hostAtomics != 0 ? kWithAtomics : kPlain;
    out.deviceAllocCapabilities = kWithAtomics;
    out.sharedSingleDeviceAllocCapabilities = device.profile().sharedConcurrent != 0 ? kEveryAccess : kWithAtomics;
    if (isTileOfOnlyCard(device)) out.sharedCrossDeviceAllocCapabilities = kEveryAccess;
    return ZE_RESULT_SUCCESS;
}

/// The limits of Intel's driver; zero without images.
Status describeImages(Device& device, ze_device_image_properties_t& out) {
    constexpr std::uint32_t kWidest = 16384;
    const bool images = device.profile().architecture().images;
    clearBody(out);
    if (images) {
        constexpr std::uint64_t kLargestTexel = 16;
        out.maxImageDims1D = out.maxImageDims2D = kWidest;
        out.maxImageDims3D = out.maxImageArraySlices = 2048;
        out.maxImageBufferSize = device.profile().maxAllocationBytes / kLargestTexel;
        out.maxSamplers = 16;
        out.maxReadImageArgs = out.maxWriteImageArgs = 128;
    }
    forEachLink(&out, ZE_STRUCTURE_TYPE_DEVICE_IMAGE_PROPERTIES, [&](ChainLink& link) {
        if (link.stype == ZE_STRUCTURE_TYPE_PITCHED_ALLOC_DEVICE_EXP_PROPERTIES) {
            auto& pitched = reinterpret_cast<ze_device_pitched_alloc_exp_properties_t&>(link);
            pitched.maxImageLinearWidth = pitched.maxImageLinearHeight = images ? kWidest : 0;
        } else if (link.stype == kLinearPitch) {
            auto& pitch = reinterpret_cast<LinearPitch&>(link);
            pitch.pitchAlign = images ? 64 : 0;
            pitch.maxSupportedPitch = images ? 262144 : 0;
        } else {
            return false;
        }
        return true;
    });
    return ZE_RESULT_SUCCESS;
}

Status describeExternalMemory(Device&, ze_device_external_memory_properties_t& out) {
    clearBody(out);
    out.memoryAllocationImportTypes = kExternalMemoryTypes;
    out.memoryAllocationExportTypes = kExternalMemoryTypes;
    return ZE_RESULT_SUCCESS;
}

Status describePci(Device& device, ze_pci_ext_properties_t& out) {
    clearBody(out);
    out.address = {0, device.machine().index() + 1, 0, 0};
    out.maxSpeed = linkSpeed(device.profile());
    return ZE_RESULT_SUCCESS;
}

Status listQueueGroups(Device& device, std::uint32_t* count, ze_command_queue_group_properties_t* out) {
    const auto groups = device.queueGroups();
    return enumerateInto(static_cast<std::uint32_t>(groups.size()), count, out,
                         [&](std::uint32_t i, ze_command_queue_group_properties_t& group) {
                             clearBody(group);
                             group.flags = groups[i].flags;
                             group.maxMemoryFillPatternSize = groups[i].fillPatternBytes;
                             group.numQueues = groups[i].queues;
                         });
}

Status listMemories(Device& device, std::uint32_t* count, ze_device_memory_properties_t* out) {
    const machine::DeviceProfile& profile = device.profile();
    return enumerateInto(1, count, out, [&](std::uint32_t, ze_device_memory_properties_t& memory) {
        clearBody(memory);
        memory.maxClockRate = profile.memoryClockMhz;
        memory.maxBusWidth = profile.memoryBusBits;
        memory.totalSize = profile.memoryBytes * device.tiles();
        const MemoryType& type = memoryTypeOf(profile);
        assign(memory.name, type.name);
        forEachLink(&memory, ZE_STRUCTURE_TYPE_DEVICE_MEMORY_PROPERTIES,
                    fillLink<ze_device_memory_ext_properties_t>(
                        ZE_STRUCTURE_TYPE_DEVICE_MEMORY_EXT_PROPERTIES, [&](auto& more) {
                            more.type = type.type;
                            more.physicalSize = memory.totalSize;
                            more.readBandwidth = more.writeBandwidth = 0;
                            more.bandwidthUnit = ZE_BANDWIDTH_UNIT_BYTES_PER_NANOSEC;
                        }));
    });
}

Status listVectorWidths(Device&, std::uint32_t* count, ze_device_vector_width_properties_ext_t* out) {
    const VectorWidths widths = {.bytes = 16,  // what Intel's driver 26.27 reports of every device
                                 .ofChar = 16,
                                 .ofShort = 8,
                                 .ofInt = 4,
                                 .ofLong = 1,
                                 .ofHalf = 8,
                                 .ofFloat = 1,
                                 .ofDouble = 1};
    return zetl::driver::listVectorWidths(widths, count, out);
}

Status listCaches(Device& device, std::uint32_t* count, ze_device_cache_properties_t* out) {
    Status status = ZE_RESULT_SUCCESS;
    const Status listed = enumerateInto(1, count, out, [&](std::uint32_t, ze_device_cache_properties_t& cache) {
        clearBody(cache);
        cache.cacheSize = device.profile().cacheBytes;
        forEachLink(&cache, ZE_STRUCTURE_TYPE_DEVICE_CACHE_PROPERTIES, [](ChainLink& link) {
            if (link.stype == ZE_STRUCTURE_TYPE_CACHE_RESERVATION_EXT_DESC)
                reinterpret_cast<ze_cache_reservation_ext_desc_t&>(link).maxCacheReservationSize = 0;
            if (static_cast<std::uint32_t>(link.stype) == kCacheLineSize)
                reinterpret_cast<CacheLineSize&>(link).cacheLineSize = kCacheLineBytes;
            return true;
        });
        status = refuseOthers(&cache, ZE_STRUCTURE_TYPE_DEVICE_CACHE_PROPERTIES,
                              {ZE_STRUCTURE_TYPE_CACHE_RESERVATION_EXT_DESC, kCacheLineSize},
                              ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION);
    });
    return listed == ZE_RESULT_SUCCESS ? status : listed;
}

std::uint32_t copyIncrement(Device& device) noexcept { return device.tiles(); }

Status describePeer(Device&, Device&, ze_device_p2p_properties_t& out) {
    clearBody(out);
    out.flags = ZE_DEVICE_P2P_PROPERTY_FLAG_ACCESS | ZE_DEVICE_P2P_PROPERTY_FLAG_ATOMICS;
    return ZE_RESULT_SUCCESS;
}

}  // namespace zetl::emulator::driver
