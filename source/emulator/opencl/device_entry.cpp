#include "emulator/opencl/answer.h"
#include "emulator/opencl/entry.h"
#include "emulator/opencl/objects.h"

namespace zetl::emulator::opencl {
namespace {

constexpr char kExtensions[] =
    "cl_khr_fp16 cl_khr_fp64 cl_khr_byte_addressable_store cl_khr_il_program cl_khr_int64_base_atomics "
    "cl_khr_device_uuid cl_khr_subgroups cl_intel_subgroups cl_intel_subgroups_short cl_intel_required_subgroup_size";

bool isDevice(cl_device_id device) {
    for (const _cl_device_id& each : platform().devices)
        if (&each == device) return true;
    return false;
}

/// What oneMKL and oneDNN know the Level Zero device by, and what says that it compiles and does nothing else.
cl_int CL_API_CALL getDeviceInfo(cl_device_id device, cl_device_info name, std::size_t bytes, void* value,
                                 std::size_t* needed) noexcept {
    return guarded([&]() -> cl_int {
        if (!isDevice(device)) return CL_INVALID_DEVICE;
        const Room room{bytes, value, needed};
        switch (name) {
            case CL_DEVICE_TYPE:
                return answer<cl_device_type>(room, CL_DEVICE_TYPE_GPU);
            case CL_DEVICE_NAME:
                return answerText(room, device->name);
            case CL_DEVICE_VENDOR:
                return answerText(room, "Intel(R) Corporation");
            case CL_DEVICE_VENDOR_ID:
                return answer<cl_uint>(room, device->vendorId);
            case CL_DEVICE_UUID_KHR:
                return answer(room, device->uuid);
            case CL_DEVICE_MAX_CLOCK_FREQUENCY:
                return answer<cl_uint>(room, device->clockMhz);
            case CL_DEVICE_MAX_COMPUTE_UNITS:
                return answer<cl_uint>(room, device->computeUnits);
            case CL_DEVICE_PLATFORM:
                return answer<cl_platform_id>(room, &platform());
            case CL_DEVICE_PROFILE:
                return answerText(room, "FULL_PROFILE");
            case CL_DEVICE_VERSION:
                return answerText(room, "OpenCL 3.0 ze-tools-layer");
            case CL_DRIVER_VERSION:
                return answerText(room, "1.0.0");
            case CL_DEVICE_OPENCL_C_VERSION:
                return answerText(room, "OpenCL C 1.2 ");
            case CL_DEVICE_IL_VERSION:
                return answerText(room, "SPIR-V_1.4");
            case CL_DEVICE_EXTENSIONS:
                return answerText(room, kExtensions);
            case CL_DEVICE_AVAILABLE:
                return answer<cl_bool>(room, CL_FALSE);
            case CL_DEVICE_COMPILER_AVAILABLE:
                return answer<cl_bool>(room, CL_TRUE);
            case CL_DEVICE_LINKER_AVAILABLE:
                return answer<cl_bool>(room, CL_FALSE);
            case CL_DEVICE_ADDRESS_BITS:
                return answer<cl_uint>(room, 64);
            case CL_DEVICE_ENDIAN_LITTLE:
                return answer<cl_bool>(room, CL_TRUE);
            case CL_DEVICE_PARENT_DEVICE:
                return answer<cl_device_id>(room, nullptr);
            case CL_DEVICE_PARTITION_MAX_SUB_DEVICES:
                return answer<cl_uint>(room, 0);
            case CL_DEVICE_PARTITION_PROPERTIES:
                return answer<cl_device_partition_property>(room, 0);
            case CL_DEVICE_REFERENCE_COUNT:
                return answer<cl_uint>(room, 1);
            default:
                return CL_INVALID_VALUE;
        }
    });
}
/// oneDNN asks, goes on if there are none, and never ends at any other error.
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
