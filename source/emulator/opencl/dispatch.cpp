// The table to which the first word of all objects points.
#include <algorithm>
#include <atomic>
#include <type_traits>

#include "base/log.h"
#include "emulator/opencl/entry.h"
#include "emulator/opencl/objects.h"

namespace zetl::emulator::opencl {
namespace {

/// Once: programs try one call after the other.
void told() noexcept {
    static std::atomic<bool> known{false};
    if (!known.exchange(true))
        log::error(log::Channel::emulator,
                   "OpenCL on the emulated GPU compiles programs, and runs none; use Level Zero "
                   "(ONEAPI_DEVICE_SELECTOR=level_zero:gpu for SYCL)");
}

/// Where a function returns its code: in the last argument, for functions that make an object.
inline cl_int* codeAt(cl_int* code) noexcept { return code; }
template <class T>
cl_int* codeAt(T) noexcept {
    return nullptr;
}

template <class F>
struct Refusal;
template <class R, class... A>
struct Refusal<R(CL_API_CALL*)(A...)> {
    static R CL_API_CALL function(A... arguments) {
        told();
        if constexpr (std::is_pointer_v<R>) {
            cl_int* code = nullptr;
            ((code = codeAt(arguments)), ...);
            if (code) *code = CL_INVALID_OPERATION;
            return nullptr;
        } else {
            return static_cast<R>(CL_INVALID_OPERATION);
        }
    }
};
template <class F>
void refuse(F& slot) noexcept {
    slot = &Refusal<F>::function;
}

/// Functions that can be called with a context, a device, a program, a kernel or a queue. All others take objects that
/// no program can have.
void refuseMaking(cl_icd_dispatch& t) noexcept {
    refuse(t.clCreateBuffer);
    refuse(t.clCreateImage);
    refuse(t.clCreateImage2D);
    refuse(t.clCreateImage3D);
    refuse(t.clCreatePipe);
    refuse(t.clCreateSampler);
    refuse(t.clCreateSamplerWithProperties);
    refuse(t.clCreateUserEvent);
    refuse(t.clCreateBufferWithProperties);
    refuse(t.clCreateImageWithProperties);
    refuse(t.clSetContextDestructorCallback);
    refuse(t.clGetSupportedImageFormats);
    refuse(t.clSVMAlloc);
    t.clSVMFree = [](cl_context, void*) {};
    refuse(t.clGetDeviceAndHostTimer);
    refuse(t.clGetHostTimer);
    refuse(t.clSetDefaultDeviceCommandQueue);
    refuse(t.clCreateProgramWithBuiltInKernels);
    refuse(t.clCompileProgram);
    refuse(t.clLinkProgram);
    refuse(t.clSetProgramReleaseCallback);
    refuse(t.clSetProgramSpecializationConstant);
    refuse(t.clUnloadCompiler);
    refuse(t.clWaitForEvents);
}
void refuseKernels(cl_icd_dispatch& t) noexcept {
    refuse(t.clSetKernelArg);
    refuse(t.clSetKernelArgSVMPointer);
    refuse(t.clSetKernelExecInfo);
    refuse(t.clCloneKernel);
    refuse(t.clGetKernelWorkGroupInfo);
    refuse(t.clGetKernelSubGroupInfo);
    refuse(t.clGetKernelSubGroupInfoKHR);
}
void refuseCommands(cl_icd_dispatch& t) noexcept {
    refuse(t.clEnqueueReadBuffer);
    refuse(t.clEnqueueReadBufferRect);
    refuse(t.clEnqueueWriteBuffer);
    refuse(t.clEnqueueWriteBufferRect);
    refuse(t.clEnqueueFillBuffer);
    refuse(t.clEnqueueCopyBuffer);
    refuse(t.clEnqueueCopyBufferRect);
    refuse(t.clEnqueueReadImage);
    refuse(t.clEnqueueWriteImage);
    refuse(t.clEnqueueFillImage);
    refuse(t.clEnqueueCopyImage);
    refuse(t.clEnqueueCopyImageToBuffer);
    refuse(t.clEnqueueCopyBufferToImage);
    refuse(t.clEnqueueMapBuffer);
    refuse(t.clEnqueueMapImage);
    refuse(t.clEnqueueUnmapMemObject);
    refuse(t.clEnqueueMigrateMemObjects);
    refuse(t.clEnqueueNDRangeKernel);
    refuse(t.clEnqueueTask);
    refuse(t.clEnqueueNativeKernel);
    refuse(t.clEnqueueMarker);
    refuse(t.clEnqueueMarkerWithWaitList);
    refuse(t.clEnqueueBarrier);
    refuse(t.clEnqueueBarrierWithWaitList);
    refuse(t.clEnqueueWaitForEvents);
    refuse(t.clEnqueueSVMFree);
    refuse(t.clEnqueueSVMMemcpy);
    refuse(t.clEnqueueSVMMemFill);
    refuse(t.clEnqueueSVMMap);
    refuse(t.clEnqueueSVMUnmap);
    refuse(t.clEnqueueSVMMigrateMem);
    refuse(t.clSetCommandQueueProperty);
}

}  // namespace

const cl_icd_dispatch& dispatchTable() noexcept {
    static const cl_icd_dispatch table = [] {
        cl_icd_dispatch made{};
        refuseMaking(made);
        refuseKernels(made);
        refuseCommands(made);
        servePlatform(made);
        serveDevices(made);
        serveContexts(made);
        serveQueues(made);
        servePrograms(made);
        serveKernels(made);
        return made;
    }();
    return table;
}

}  // namespace zetl::emulator::opencl
