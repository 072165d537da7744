// Queues that nothing can be put into: oneDNN makes one to see whether the device is there.
#include <algorithm>
#include <memory>

#include "emulator/opencl/answer.h"
#include "emulator/opencl/entry.h"
#include "emulator/opencl/objects.h"

namespace zetl::emulator::opencl {
namespace {

cl_command_queue CL_API_CALL createQueue(cl_context context, cl_device_id device,
                                         cl_command_queue_properties properties, cl_int* code) noexcept {
    return making(code, [&]() -> cl_command_queue {
        if (!context) return refused(code, CL_INVALID_CONTEXT);
        const auto& known = context->devices;
        if (std::find(known.begin(), known.end(), device) == known.end()) return refused(code, CL_INVALID_DEVICE);
        auto made = std::make_unique<_cl_command_queue>();
        made->context = context;
        made->device = device;
        made->properties = properties;
        ++context->holders;
        return made.release();
    });
}
cl_command_queue CL_API_CALL createQueueWithProperties(cl_context context, cl_device_id device,
                                                       const cl_queue_properties* properties, cl_int* code) noexcept {
    cl_command_queue_properties wanted = 0;
    for (; properties && *properties; properties += 2)
        if (properties[0] == CL_QUEUE_PROPERTIES) wanted = properties[1];
    return createQueue(context, device, wanted, code);
}
cl_int CL_API_CALL retainQueue(cl_command_queue queue) noexcept {
    if (!queue) return CL_INVALID_COMMAND_QUEUE;
    ++queue->holders;
    return CL_SUCCESS;
}
cl_int CL_API_CALL releaseQueue(cl_command_queue queue) noexcept {
    if (!queue) return CL_INVALID_COMMAND_QUEUE;
    if (--queue->holders != 0) return CL_SUCCESS;
    const cl_context context = queue->context;
    delete queue;
    return context->dispatch->clReleaseContext(context);
}
cl_int CL_API_CALL getQueueInfo(cl_command_queue queue, cl_command_queue_info name, std::size_t bytes, void* value,
                                std::size_t* needed) noexcept {
    if (!queue) return CL_INVALID_COMMAND_QUEUE;
    const Room room{bytes, value, needed};
    switch (name) {
        case CL_QUEUE_CONTEXT:
            return answer<cl_context>(room, queue->context);
        case CL_QUEUE_DEVICE:
            return answer<cl_device_id>(room, queue->device);
        case CL_QUEUE_REFERENCE_COUNT:
            return answer<cl_uint>(room, queue->holders);
        case CL_QUEUE_PROPERTIES:
            return answer<cl_command_queue_properties>(room, queue->properties);
        default:
            return CL_INVALID_VALUE;
    }
}
/// It is always empty.
cl_int CL_API_CALL waitForQueue(cl_command_queue queue) noexcept {
    return queue ? CL_SUCCESS : CL_INVALID_COMMAND_QUEUE;
}

}  // namespace

void serveQueues(cl_icd_dispatch& table) noexcept {
    table.clCreateCommandQueue = createQueue;
    table.clCreateCommandQueueWithProperties = createQueueWithProperties;
    table.clRetainCommandQueue = retainQueue;
    table.clReleaseCommandQueue = releaseQueue;
    table.clGetCommandQueueInfo = getQueueInfo;
    table.clFlush = waitForQueue;
    table.clFinish = waitForQueue;
}

}  // namespace zetl::emulator::opencl
