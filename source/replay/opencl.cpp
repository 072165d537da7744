#include "replay/opencl.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace zetl::replay {

const OpenCl* OpenCl::open(std::string& reason) {
    auto* const opened = new OpenCl;
    return opened->load(reason) && opened->findDevice(reason) ? opened : nullptr;
}

bool OpenCl::load(std::string& reason) {
    constexpr const char* kLibrary = "libOpenCL.so.1";
    void* const library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        reason = fmt::format("{} cannot be loaded ({}); install it: apt install ocl-icd-libopencl1 pocl-opencl-icd",
                             kLibrary, dlerror());
        return false;
    }
#define ZETL_OPENCL_LOAD(name) this->name = reinterpret_cast<decltype(&::name)>(dlsym(library, #name));
    ZETL_OPENCL_FUNCTIONS(ZETL_OPENCL_LOAD)
#undef ZETL_OPENCL_LOAD
#define ZETL_OPENCL_IS_THERE(name) &&this->name != nullptr
    if (true ZETL_OPENCL_FUNCTIONS(ZETL_OPENCL_IS_THERE)) return true;
#undef ZETL_OPENCL_IS_THERE
    reason = fmt::format("{} is older than OpenCL 2.1", kLibrary);
    return false;
}

bool OpenCl::findDevice(std::string& reason) {
    cl_uint count = 0;
    clGetPlatformIDs(0, nullptr, &count);
    std::vector<cl_platform_id> platforms(count);
    if (count != 0) clGetPlatformIDs(count, platforms.data(), nullptr);
    for (cl_platform_id platform : platforms)
        if (device == nullptr) clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &device, nullptr);
    if (device == nullptr) {
        reason = "OpenCL has no device that is a processor; install one: apt install pocl-opencl-icd";
        return false;
    }
    cl_int code = CL_SUCCESS;
    context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code);
    if (context != nullptr) queue = clCreateCommandQueueWithProperties(context, device, nullptr, &code);
    if (queue != nullptr) return true;
    reason = fmt::format("OpenCL's device {} cannot be used: code {}", deviceName(), code);
    return false;
}

std::string OpenCl::deviceText(cl_device_info what) const {
    std::size_t bytes = 0;
    if (clGetDeviceInfo(device, what, 0, nullptr, &bytes) != CL_SUCCESS || bytes == 0) return {};
    std::string text(bytes, 0);
    clGetDeviceInfo(device, what, bytes, text.data(), nullptr);
    text.resize(std::min(text.find('\0'), text.size()));
    return text;
}

}  // namespace zetl::replay
