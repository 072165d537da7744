// What an ICD loader looks up.
#include "emulator/opencl/entry.h"

extern "C" {

__attribute__((visibility("default"))) cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint room,
                                                                                 cl_platform_id* platforms,
                                                                                 cl_uint* count) {
    return zetl::emulator::opencl::getPlatformIds(room, platforms, count);
}
__attribute__((visibility("default"))) cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id platform,
                                                                            cl_platform_info name, std::size_t bytes,
                                                                            void* value, std::size_t* needed) {
    return zetl::emulator::opencl::getPlatformInfo(platform, name, bytes, value, needed);
}
__attribute__((visibility("default"))) void* CL_API_CALL clGetExtensionFunctionAddress(const char* name) {
    return zetl::emulator::opencl::getExtensionFunction(name);
}
}
