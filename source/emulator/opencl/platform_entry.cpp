#include <string_view>

#include "base/log.h"
#include "base/never_destroyed.h"
#include "emulator/machine/profile.h"
#include "emulator/opencl/answer.h"
#include "emulator/opencl/entry.h"
#include "emulator/opencl/objects.h"

namespace zetl::emulator::opencl {
namespace {

_cl_platform_id makePlatform() {
    _cl_platform_id made{&dispatchTable(), {}};
    try {
        for (const machine::DeviceProfile& each : machine::configuredProfile().devices)
            made.devices.push_back(
                {&dispatchTable(), each, machine::uuidOf(each, static_cast<std::uint32_t>(made.devices.size()))});
    } catch (const std::exception& error) {
        log::error(log::Channel::emulator, "OpenCL has no device: {}", error.what());
    }
    return made;
}

/// Devices are listed for callers that ask for a GPU and nothing else, such as one that looks for the twin of a Level
/// Zero device. A caller that lists devices of all types to run something there (SYCL's OpenCL adapter) finds none.
cl_int CL_API_CALL getDeviceIds(cl_platform_id of, cl_device_type type, cl_uint room, cl_device_id* devices,
                                cl_uint* count) noexcept {
    return guarded([&]() -> cl_int {
        if (of != &platform()) return CL_INVALID_PLATFORM;
        if ((!devices && !count) || (devices && !room)) return CL_INVALID_VALUE;
        auto& all = platform().devices;
        const bool any = type == CL_DEVICE_TYPE_GPU && !all.empty();
        if (count) *count = any ? static_cast<cl_uint>(all.size()) : 0;
        if (!any) return CL_DEVICE_NOT_FOUND;
        for (cl_uint i = 0; devices && i < room && i < all.size(); ++i) devices[i] = &all[i];
        return CL_SUCCESS;
    });
}
cl_int CL_API_CALL unloadCompiler(cl_platform_id of) noexcept {
    return of == &platform() ? CL_SUCCESS : CL_INVALID_PLATFORM;
}
void* CL_API_CALL getExtensionFunctionFor(cl_platform_id, const char*) noexcept { return nullptr; }

}  // namespace

_cl_platform_id& platform() {
    static NeverDestroyed<_cl_platform_id> only(makePlatform());
    return *only;
}

cl_int CL_API_CALL getPlatformIds(cl_uint room, cl_platform_id* platforms, cl_uint* count) noexcept {
    return guarded([&]() -> cl_int {
        if ((!platforms && !count) || (platforms && !room)) return CL_INVALID_VALUE;
        const bool any = !platform().devices.empty();
        if (count) *count = any ? 1 : 0;
        if (!any) return CL_PLATFORM_NOT_FOUND_KHR;
        if (platforms) *platforms = &platform();
        return CL_SUCCESS;
    });
}

cl_int CL_API_CALL getPlatformInfo(cl_platform_id of, cl_platform_info name, std::size_t bytes, void* value,
                                   std::size_t* needed) noexcept {
    return guarded([&]() -> cl_int {
        const Room room{bytes, value, needed};
        if (of && of != &platform()) return CL_INVALID_PLATFORM;
        switch (name) {
            case CL_PLATFORM_PROFILE:
                return answerText(room, "FULL_PROFILE");
            case CL_PLATFORM_VERSION:
                return answerText(room, "OpenCL 3.0 ze-tools-layer");
            case CL_PLATFORM_NAME:
                return answerText(room, "Intel(R) OpenCL Graphics (emulated, compiles only)");
            case CL_PLATFORM_VENDOR:
                return answerText(room, "Intel(R) Corporation");
            case CL_PLATFORM_EXTENSIONS:
                return answerText(room, "cl_khr_icd");
            case CL_PLATFORM_ICD_SUFFIX_KHR:
                return answerText(room, "ZETL");
            case CL_PLATFORM_HOST_TIMER_RESOLUTION:
                return answer<cl_ulong>(room, 0);
            case CL_PLATFORM_NUMERIC_VERSION:
                return answer<cl_version>(room, CL_MAKE_VERSION(3, 0, 0));
            default:
                return CL_INVALID_VALUE;
        }
    });
}

void* CL_API_CALL getExtensionFunction(const char* name) noexcept {
    const std::string_view wanted = name ? name : "";
    if (wanted == "clIcdGetPlatformIDsKHR") return reinterpret_cast<void*>(&getPlatformIds);
    if (wanted == "clGetPlatformInfo") return reinterpret_cast<void*>(&getPlatformInfo);
    return nullptr;
}

void servePlatform(cl_icd_dispatch& table) noexcept {
    table.clGetPlatformIDs = getPlatformIds;
    table.clGetPlatformInfo = getPlatformInfo;
    table.clGetDeviceIDs = getDeviceIds;
    table.clUnloadPlatformCompiler = unloadCompiler;
    table.clGetExtensionFunctionAddress = getExtensionFunction;
    table.clGetExtensionFunctionAddressForPlatform = getExtensionFunctionFor;
}

}  // namespace zetl::emulator::opencl
