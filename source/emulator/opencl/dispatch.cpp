// The table that objects begin with.
#include <algorithm>
#include <type_traits>

#include "base/log.h"
#include "emulator/opencl/entry.h"
#include "emulator/opencl/objects.h"

namespace zetl::emulator::opencl {
namespace {

void told() noexcept {
    log::warn(log::Channel::emulator, "OpenCL on the emulated GPU compiles programs; they run by Level Zero alone");
}

/// Where a function gives its code: the last argument, of functions that make something.
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

/// Of what can be called with a context, a device or a program. The rest takes objects that nobody can have.
void refuseOthers(cl_icd_dispatch& t) noexcept {
    refuse(t.clCreateCommandQueue);
    refuse(t.clCreateCommandQueueWithProperties);
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
    refuse(t.clCreateKernel);
    refuse(t.clCreateKernelsInProgram);
    refuse(t.clSetProgramReleaseCallback);
    refuse(t.clSetProgramSpecializationConstant);
    refuse(t.clUnloadCompiler);
    refuse(t.clWaitForEvents);
}

}  // namespace

const cl_icd_dispatch& dispatchTable() noexcept {
    static const cl_icd_dispatch table = [] {
        cl_icd_dispatch made{};
        refuseOthers(made);
        servePlatform(made);
        serveDevices(made);
        serveContexts(made);
        servePrograms(made);
        return made;
    }();
    return table;
}

}  // namespace zetl::emulator::opencl
