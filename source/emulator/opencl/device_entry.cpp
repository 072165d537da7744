#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

#include "emulator/machine/capabilities.h"
#include "emulator/machine/profile.h"
#include "emulator/opencl/answer.h"
#include "emulator/opencl/entry.h"
#include "emulator/opencl/objects.h"

namespace zetl::emulator::opencl {
namespace {

using machine::DeviceProfile;

/// What the compilers support for this device, and which queries it answers.
constexpr char kExtensions[] =
    "cl_khr_fp16 cl_khr_fp64 cl_khr_byte_addressable_store cl_khr_il_program cl_khr_int64_base_atomics "
    "cl_khr_device_uuid cl_khr_subgroups cl_intel_subgroups cl_intel_subgroups_char cl_intel_subgroups_short "
    "cl_intel_subgroups_long cl_intel_required_subgroup_size cl_intel_subgroup_local_block_io "
    "cl_intel_subgroup_matrix_multiply_accumulate cl_intel_device_attribute_query cl_ext_float_atomics";

// cl_ext_float_atomics, which older headers do not have.
constexpr cl_device_info kFloatAtomics = 0x4231;
constexpr cl_device_info kDoubleAtomics = 0x4232;
constexpr cl_device_info kHalfAtomics = 0x4233;

/// One query and its answer.
struct Fact {
    cl_device_info name;
    cl_int (*tell)(const _cl_device_id& device, const Room& room);
};

/// Facts that identify the device, and show that it compiles and does nothing else.
constexpr Fact kIdentity[] = {
    {CL_DEVICE_TYPE, [](auto&, auto& room) { return answer<cl_device_type>(room, CL_DEVICE_TYPE_GPU); }},
    {CL_DEVICE_NAME, [](auto& device, auto& room) { return answerText(room, device.profile.name); }},
    {CL_DEVICE_VENDOR, [](auto&, auto& room) { return answerText(room, "Intel(R) Corporation"); }},
    {CL_DEVICE_VENDOR_ID, [](auto& device, auto& room) { return answer<cl_uint>(room, device.profile.vendorId); }},
    {CL_DEVICE_ID_INTEL, [](auto& device, auto& room) { return answer<cl_uint>(room, device.profile.deviceId); }},
    {CL_DEVICE_IP_VERSION_INTEL,
     [](auto& device, auto& room) { return answer<cl_version>(room, device.profile.product->ip.packed()); }},
    {CL_DEVICE_UUID_KHR, [](auto& device, auto& room) { return answer(room, device.uuid); }},
    {CL_DEVICE_PLATFORM, [](auto&, auto& room) { return answer<cl_platform_id>(room, &platform()); }},
    {CL_DEVICE_PROFILE, [](auto&, auto& room) { return answerText(room, "FULL_PROFILE"); }},
    {CL_DEVICE_VERSION, [](auto&, auto& room) { return answerText(room, "OpenCL 3.0 ze-tools-layer"); }},
    {CL_DRIVER_VERSION, [](auto&, auto& room) { return answerText(room, "1.0.0"); }},
    {CL_DEVICE_OPENCL_C_VERSION, [](auto&, auto& room) { return answerText(room, "OpenCL C 1.2 "); }},
    {CL_DEVICE_IL_VERSION, [](auto&, auto& room) { return answerText(room, "SPIR-V_1.4"); }},
    {CL_DEVICE_EXTENSIONS, [](auto&, auto& room) { return answerText(room, kExtensions); }},
    {CL_DEVICE_AVAILABLE, [](auto&, auto& room) { return answer<cl_bool>(room, CL_FALSE); }},
    {CL_DEVICE_COMPILER_AVAILABLE, [](auto&, auto& room) { return answer<cl_bool>(room, CL_TRUE); }},
    {CL_DEVICE_LINKER_AVAILABLE, [](auto&, auto& room) { return answer<cl_bool>(room, CL_FALSE); }},
    {CL_DEVICE_PARENT_DEVICE, [](auto&, auto& room) { return answer<cl_device_id>(room, nullptr); }},
    {CL_DEVICE_PARTITION_MAX_SUB_DEVICES, [](auto&, auto& room) { return answer<cl_uint>(room, 0); }},
    {CL_DEVICE_PARTITION_PROPERTIES, [](auto&, auto& room) { return answer<cl_device_partition_property>(room, 0); }},
    {CL_DEVICE_REFERENCE_COUNT, [](auto&, auto& room) { return answer<cl_uint>(room, 1); }},
};

std::uint32_t slicesOf(const DeviceProfile& profile) { return profile.tiles * profile.slices; }

/// What kernels can count on, with the values that Level Zero reports: oneDNN chooses and generates code by these.
constexpr Fact kCapabilities[] = {
    {CL_DEVICE_MAX_CLOCK_FREQUENCY,
     [](auto& device, auto& room) { return answer<cl_uint>(room, device.profile.coreClockMhz); }},
    {CL_DEVICE_MAX_COMPUTE_UNITS,
     [](auto& device, auto& room) { return answer<cl_uint>(room, device.profile.tiles * device.profile.eus()); }},
    {CL_DEVICE_NUM_SLICES_INTEL,
     [](auto& device, auto& room) { return answer<cl_uint>(room, slicesOf(device.profile)); }},
    {CL_DEVICE_NUM_SUB_SLICES_PER_SLICE_INTEL,
     [](auto& device, auto& room) { return answer<cl_uint>(room, device.profile.subslicesPerSlice); }},
    {CL_DEVICE_NUM_EUS_PER_SUB_SLICE_INTEL,
     [](auto& device, auto& room) { return answer<cl_uint>(room, device.profile.eusPerSubslice); }},
    {CL_DEVICE_NUM_THREADS_PER_EU_INTEL,
     [](auto& device, auto& room) { return answer<cl_uint>(room, device.profile.threadsPerEu); }},
    {CL_DEVICE_FEATURE_CAPABILITIES_INTEL,
     [](auto&, auto& room) {
         return answer<cl_device_feature_capabilities_intel>(
             room, CL_DEVICE_FEATURE_FLAG_DP4A_INTEL | CL_DEVICE_FEATURE_FLAG_DPAS_INTEL);
     }},
    {CL_DEVICE_MAX_WORK_GROUP_SIZE,
     [](auto& device, auto& room) { return answer<std::size_t>(room, device.profile.maxGroupSize); }},
    {CL_DEVICE_MAX_PARAMETER_SIZE,
     [](auto&, auto& room) { return answer<std::size_t>(room, machine::kMaxArgumentBytes); }},
    {CL_DEVICE_SUB_GROUP_SIZES_INTEL,
     [](auto& device, auto& room) {
         const auto sizes = device.profile.architecture().subGroupSizes;
         return answerAll(room, std::vector<std::size_t>(sizes.begin(), sizes.end()));
     }},
    {CL_DEVICE_LOCAL_MEM_SIZE,
     [](auto& device, auto& room) { return answer<cl_ulong>(room, device.profile.slmBytes); }},
    {CL_DEVICE_GLOBAL_MEM_SIZE,
     [](auto& device, auto& room) {
         return answer<cl_ulong>(room, device.profile.tiles * device.profile.memoryBytes);
     }},
    {CL_DEVICE_MAX_MEM_ALLOC_SIZE,
     [](auto& device, auto& room) { return answer<cl_ulong>(room, device.profile.maxAllocationBytes); }},
    {CL_DEVICE_GLOBAL_MEM_CACHE_SIZE,
     [](auto& device, auto& room) { return answer<cl_ulong>(room, device.profile.cacheBytes); }},
    {CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL,
     [](auto&, auto& room) { return answer<cl_device_unified_shared_memory_capabilities_intel>(room, 0); }},
    {CL_DEVICE_ADDRESS_BITS, [](auto&, auto& room) { return answer<cl_uint>(room, 64); }},
    {CL_DEVICE_ENDIAN_LITTLE, [](auto&, auto& room) { return answer<cl_bool>(room, CL_TRUE); }},
    {kHalfAtomics, [](auto& device, auto& room) { return answer<cl_bitfield>(room, device.profile.halfAtomics); }},
    {kFloatAtomics, [](auto& device, auto& room) { return answer<cl_bitfield>(room, device.profile.floatAtomics); }},
    {kDoubleAtomics, [](auto& device, auto& room) { return answer<cl_bitfield>(room, device.profile.doubleAtomics); }},
};

bool isDevice(cl_device_id device) {
    for (const _cl_device_id& each : platform().devices)
        if (&each == device) return true;
    return false;
}

cl_int CL_API_CALL getDeviceInfo(cl_device_id device, cl_device_info name, std::size_t bytes, void* value,
                                 std::size_t* needed) noexcept {
    return guarded([&]() -> cl_int {
        if (!isDevice(device)) return CL_INVALID_DEVICE;
        for (const auto facts : {std::span<const Fact>(kIdentity), std::span<const Fact>(kCapabilities)})
            for (const Fact& each : facts)
                if (each.name == name) return each.tell(*device, {bytes, value, needed});
        return CL_INVALID_VALUE;
    });
}
/// oneDNN calls it, goes on if there are none, and never ends at any other error.
cl_int CL_API_CALL createSubDevices(cl_device_id device, const cl_device_partition_property* properties, cl_uint,
                                    cl_device_id*, cl_uint*) noexcept {
    return guarded([&] {
        if (!isDevice(device)) return CL_INVALID_DEVICE;
        return properties && *properties ? CL_DEVICE_PARTITION_FAILED : CL_INVALID_VALUE;
    });
}
cl_int CL_API_CALL keepDevice(cl_device_id device) noexcept {
    return guarded([&] { return isDevice(device) ? CL_SUCCESS : CL_INVALID_DEVICE; });
}

}  // namespace

void serveDevices(cl_icd_dispatch& table) noexcept {
    table.clGetDeviceInfo = getDeviceInfo;
    table.clCreateSubDevices = createSubDevices;
    table.clRetainDevice = keepDevice;
    table.clReleaseDevice = keepDevice;
}

}  // namespace zetl::emulator::opencl
