#include <algorithm>
#include <memory>

#include "emulator/opencl/answer.h"
#include "emulator/opencl/entry.h"
#include "emulator/opencl/objects.h"

namespace zetl::emulator::opencl {
namespace {

using Notify = void(CL_CALLBACK*)(const char*, const void*, std::size_t, void*);

cl_context CL_API_CALL createContext(const cl_context_properties*, cl_uint count, const cl_device_id* devices, Notify,
                                     void*, cl_int* code) noexcept {
    return making(code, [&]() -> cl_context {
        if (count == 0 || !devices) return refused(code, CL_INVALID_VALUE);
        auto& known = platform().devices;
        for (cl_uint i = 0; i < count; ++i)
            if (std::none_of(known.begin(), known.end(), [&](auto& each) { return &each == devices[i]; }))
                return refused(code, CL_INVALID_DEVICE);
        auto made = std::make_unique<_cl_context>();
        made->devices.assign(devices, devices + count);
        return made.release();
    });
}
cl_context CL_API_CALL createContextFromType(const cl_context_properties* properties, cl_device_type type,
                                             Notify notify, void* data, cl_int* code) noexcept {
    auto& known = platform().devices;
    if (type != CL_DEVICE_TYPE_GPU || known.empty()) return refused(code, CL_DEVICE_NOT_FOUND);
    const cl_device_id first = &known.front();
    return createContext(properties, 1, &first, notify, data, code);
}
cl_int CL_API_CALL retainContext(cl_context context) noexcept {
    if (!context) return CL_INVALID_CONTEXT;
    ++context->holders;
    return CL_SUCCESS;
}
cl_int CL_API_CALL releaseContext(cl_context context) noexcept {
    if (!context) return CL_INVALID_CONTEXT;
    if (--context->holders == 0) delete context;
    return CL_SUCCESS;
}
cl_int CL_API_CALL getContextInfo(cl_context context, cl_context_info name, std::size_t bytes, void* value,
                                  std::size_t* needed) noexcept {
    if (!context) return CL_INVALID_CONTEXT;
    const Room room{bytes, value, needed};
    switch (name) {
        case CL_CONTEXT_REFERENCE_COUNT:
            return answer<cl_uint>(room, context->holders);
        case CL_CONTEXT_NUM_DEVICES:
            return answer<cl_uint>(room, static_cast<cl_uint>(context->devices.size()));
        case CL_CONTEXT_DEVICES:
            return answerAll(room, context->devices);
        case CL_CONTEXT_PROPERTIES:
            return answerBytes(room, nullptr, 0);
        default:
            return CL_INVALID_VALUE;
    }
}

}  // namespace

void serveContexts(cl_icd_dispatch& table) noexcept {
    table.clCreateContext = createContext;
    table.clCreateContextFromType = createContextFromType;
    table.clRetainContext = retainContext;
    table.clReleaseContext = releaseContext;
    table.clGetContextInfo = getContextInfo;
}

}  // namespace zetl::emulator::opencl
