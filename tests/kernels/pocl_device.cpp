#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <fmt/format.h>

#include <stdexcept>
#include <string_view>
#include <vector>

#include "device_under_test.h"
#include "output_capture.h"

/// What PoCL and its compiler keep until the end of the process is theirs. Read by LeakSanitizer, if it is there.
extern "C" __attribute__((visibility("default"))) const char* __lsan_default_suppressions();
const char* __lsan_default_suppressions() { return "leak:libpocl\nleak:libLLVM"; }

namespace zetl::kernels {
namespace {

void check(cl_int code, const char* call) {
    if (code != CL_SUCCESS) throw std::runtime_error(fmt::format("PoCL: {} gave {}", call, code));
}

/// The process's one context on PoCL.
struct Pocl {
    cl_device_id device = nullptr;
    cl_context context = nullptr;
    cl_command_queue queue = nullptr;

    Pocl() {
        cl_platform_id platforms[16];
        cl_uint count = 0;
        check(clGetPlatformIDs(16, platforms, &count), "clGetPlatformIDs");
        for (cl_uint i = 0; i < count && device == nullptr; ++i) {
            char name[256] = {};
            clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name - 1, name, nullptr);
            if (std::string_view(name) == "Portable Computing Language")
                check(clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, nullptr), "clGetDeviceIDs");
        }
        if (device == nullptr) throw std::runtime_error("PoCL is not installed (package pocl-opencl-icd)");
        cl_int code = 0;
        context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code);
        check(code, "clCreateContext");
        queue = clCreateCommandQueue(context, device, 0, &code);
        check(code, "clCreateCommandQueue");
    }
    static Pocl& get() {
        static Pocl* const instance =
            new Pocl;  // lives as long as the process: PoCL's threads outlast static destructors
        return *instance;
    }
};

class PoclProgram : public BuiltProgram {
  public:
    PoclProgram(const std::string& source, const std::string& options) {
        Pocl& pocl = Pocl::get();
        const char* text = source.c_str();
        cl_int code = 0;
        program_ = clCreateProgramWithSource(pocl.context, 1, &text, nullptr, &code);
        check(code, "clCreateProgramWithSource");
        if (clBuildProgram(program_, 1, &pocl.device, options.c_str(), nullptr, nullptr) == CL_SUCCESS) return;
        std::size_t size = 0;
        clGetProgramBuildInfo(program_, pocl.device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
        std::string log(size, ' ');
        clGetProgramBuildInfo(program_, pocl.device, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
        throw std::runtime_error("PoCL: " + log);
    }
    ~PoclProgram() override { clReleaseProgram(program_); }

    std::string run(const std::string& name, const CaseLaunch& launch, std::vector<CaseArgument>& arguments) override {
        Pocl& pocl = Pocl::get();
        cl_int code = 0;
        cl_kernel kernel = clCreateKernel(program_, name.c_str(), &code);
        check(code, "clCreateKernel");
        std::vector<cl_mem> buffers(arguments.size());
        for (cl_uint i = 0; i < arguments.size(); ++i) setArgument(kernel, i, arguments[i], buffers[i]);
        std::size_t global[3];
        std::size_t local[3];
        std::size_t offset[3];
        for (int i = 0; i < 3; ++i) {
            global[i] = launch.global[i];
            local[i] = launch.local[i];
            offset[i] = launch.offset[i];
        }
        OutputCapture capture;
        check(clEnqueueNDRangeKernel(pocl.queue, kernel, launch.dimensions, offset, global, local, 0, nullptr, nullptr),
              "clEnqueueNDRangeKernel");
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            if (buffers[i] == nullptr) continue;
            Bytes& bytes = arguments[i].bytes;
            check(clEnqueueReadBuffer(pocl.queue, buffers[i], CL_TRUE, 0, bytes.size(), bytes.data(), 0, nullptr,
                                      nullptr),
                  "clEnqueueReadBuffer");
            clReleaseMemObject(buffers[i]);
        }
        check(clFinish(pocl.queue), "clFinish");
        clReleaseKernel(kernel);
        return capture.text();
    }

  private:
    cl_program program_ = nullptr;

    static void setArgument(cl_kernel kernel, cl_uint index, CaseArgument& argument, cl_mem& buffer) {
        if (argument.kind == CaseArgument::Kind::local)
            return check(clSetKernelArg(kernel, index, argument.localBytes, nullptr), "clSetKernelArg");
        if (argument.kind == CaseArgument::Kind::scalar)
            return check(clSetKernelArg(kernel, index, argument.bytes.size(), argument.bytes.data()), "clSetKernelArg");
        cl_int code = 0;
        buffer = clCreateBuffer(Pocl::get().context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, argument.bytes.size(),
                                argument.bytes.data(), &code);
        check(code, "clCreateBuffer");
        check(clSetKernelArg(kernel, index, sizeof buffer, &buffer), "clSetKernelArg");
    }
};

}  // namespace

std::unique_ptr<BuiltProgram> buildForPocl(const std::string& source, const std::string& options) {
    return std::make_unique<PoclProgram>(source, options);
}

}  // namespace zetl::kernels
