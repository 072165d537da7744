// The host's implementation of OpenCL, opened at run time: a device that is a processor, such as PoCL's.
#pragma once

#define CL_TARGET_OPENCL_VERSION 210
#include <CL/cl.h>

#include <memory>
#include <string>

namespace zetl::replay {

/// The functions of OpenCL's ICD loader that are used here.
#define ZETL_OPENCL_FUNCTIONS(F)          \
    F(clGetPlatformIDs)                   \
    F(clGetDeviceIDs)                     \
    F(clGetDeviceInfo)                    \
    F(clCreateContext)                    \
    F(clCreateCommandQueueWithProperties) \
    F(clCreateProgramWithIL)              \
    F(clCreateProgramWithBinary)          \
    F(clBuildProgram)                     \
    F(clGetProgramBuildInfo)              \
    F(clReleaseProgram)                   \
    F(clCreateKernel)                     \
    F(clReleaseKernel)                    \
    F(clSetKernelArg)                     \
    F(clCreateBuffer)                     \
    F(clReleaseMemObject)                 \
    F(clEnqueueNDRangeKernel)             \
    F(clEnqueueMapBuffer)                 \
    F(clFinish)

/// Lives as long as the process: threads of implementations outlast static destructors.
class OpenCl {
  public:
    /// Null, and the reason, if there is no such device.
    static const OpenCl* open(std::string& reason);

    /// "pthread-haswell-AMD EPYC".
    std::string deviceName() const { return deviceText(CL_DEVICE_NAME); }
    /// Whether the device builds SPIR-V itself.
    bool takesSpirv() const { return !deviceText(CL_DEVICE_IL_VERSION).empty(); }
    /// Whether it builds LLVM's intermediate code (cl_khr_spir).
    bool takesLlvm() const { return deviceText(CL_DEVICE_EXTENSIONS).find("cl_khr_spir") != std::string::npos; }

    cl_device_id device = nullptr;
    cl_context context = nullptr;
    cl_command_queue queue = nullptr;
#define ZETL_OPENCL_POINTER(name) decltype(&::name) name = nullptr;
    ZETL_OPENCL_FUNCTIONS(ZETL_OPENCL_POINTER)
#undef ZETL_OPENCL_POINTER

  private:
    OpenCl() = default;
    bool load(std::string& reason);
    bool findDevice(std::string& reason);
    std::string deviceText(cl_device_info what) const;
};

}  // namespace zetl::replay
