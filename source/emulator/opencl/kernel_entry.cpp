// Kernels as names of what a program's binary has: oneDNN asks for them on the way to the binary.
#include <memory>
#include <mutex>

#include "binary/native_binary.h"
#include "emulator/opencl/answer.h"
#include "emulator/opencl/entry.h"
#include "emulator/opencl/objects.h"

namespace zetl::emulator::opencl {
namespace {

/// Null if the program has not been built.
binary::ModulePointer imageOf(_cl_program& program) {
    const std::lock_guard lock(program.mutex);
    if (program.status != CL_BUILD_SUCCESS) return nullptr;
    const auto image = binary::readNative(program.binary, productOf(*program.context));
    return image ? *image : nullptr;
}

/// The kernel holds its program.
cl_kernel kernelOf(_cl_program& program, const binary::KernelImage& image) {
    auto made = std::make_unique<_cl_kernel>();
    made->program = &program;
    made->name = image.name;
    made->attributes = image.attributes;
    made->arguments = static_cast<cl_uint>(image.arguments.size());
    ++program.holders;
    return made.release();
}

cl_kernel CL_API_CALL createKernel(cl_program program, const char* name, cl_int* code) noexcept {
    return making(code, [&]() -> cl_kernel {
        if (!program) return refused(code, CL_INVALID_PROGRAM);
        if (!name) return refused(code, CL_INVALID_VALUE);
        const auto image = imageOf(*program);
        if (!image) return refused(code, CL_INVALID_PROGRAM_EXECUTABLE);
        const binary::KernelImage* kernel = image->kernel(name);
        return kernel ? kernelOf(*program, *kernel) : refused(code, CL_INVALID_KERNEL_NAME);
    });
}
cl_int CL_API_CALL createKernels(cl_program program, cl_uint room, cl_kernel* kernels, cl_uint* count) noexcept {
    if (!program) return CL_INVALID_PROGRAM;
    return guarded([&]() -> cl_int {
        const auto image = imageOf(*program);
        if (!image) return CL_INVALID_PROGRAM_EXECUTABLE;
        const auto& all = image->kernels;
        if (count) *count = static_cast<cl_uint>(all.size());
        if (!kernels) return CL_SUCCESS;
        if (room < all.size()) return CL_INVALID_VALUE;
        for (std::size_t i = 0; i < all.size(); ++i) kernels[i] = kernelOf(*program, all[i]);
        return CL_SUCCESS;
    });
}
cl_int CL_API_CALL retainKernel(cl_kernel kernel) noexcept {
    if (!kernel) return CL_INVALID_KERNEL;
    ++kernel->holders;
    return CL_SUCCESS;
}
cl_int CL_API_CALL releaseKernel(cl_kernel kernel) noexcept {
    if (!kernel) return CL_INVALID_KERNEL;
    if (--kernel->holders != 0) return CL_SUCCESS;
    const cl_program program = kernel->program;
    delete kernel;
    return program->dispatch->clReleaseProgram(program);
}
cl_int CL_API_CALL getKernelInfo(cl_kernel kernel, cl_kernel_info name, std::size_t bytes, void* value,
                                 std::size_t* needed) noexcept {
    if (!kernel) return CL_INVALID_KERNEL;
    const Room room{bytes, value, needed};
    switch (name) {
        case CL_KERNEL_FUNCTION_NAME:
            return answerText(room, kernel->name);
        case CL_KERNEL_NUM_ARGS:
            return answer<cl_uint>(room, kernel->arguments);
        case CL_KERNEL_REFERENCE_COUNT:
            return answer<cl_uint>(room, kernel->holders);
        case CL_KERNEL_CONTEXT:
            return answer<cl_context>(room, kernel->program->context);
        case CL_KERNEL_PROGRAM:
            return answer<cl_program>(room, kernel->program);
        case CL_KERNEL_ATTRIBUTES:
            return answerText(room, kernel->attributes);
        default:
            return CL_INVALID_VALUE;
    }
}
/// As of a program that came as a binary.
cl_int CL_API_CALL getArgumentInfo(cl_kernel kernel, cl_uint argument, cl_kernel_arg_info, std::size_t, void*,
                                   std::size_t*) noexcept {
    if (!kernel) return CL_INVALID_KERNEL;
    return argument < kernel->arguments ? CL_KERNEL_ARG_INFO_NOT_AVAILABLE : CL_INVALID_ARG_INDEX;
}

}  // namespace

void serveKernels(cl_icd_dispatch& table) noexcept {
    table.clCreateKernel = createKernel;
    table.clCreateKernelsInProgram = createKernels;
    table.clRetainKernel = retainKernel;
    table.clReleaseKernel = releaseKernel;
    table.clGetKernelInfo = getKernelInfo;
    table.clGetKernelArgInfo = getArgumentInfo;
}

}  // namespace zetl::emulator::opencl
