#include "opencl.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace zetl::benchmark::emulator {
namespace {

void check(cl_int code, const char* what) {
    if (code != CL_SUCCESS) throw std::runtime_error(std::string(what) + " failed with " + std::to_string(code));
}

class OpenCl final : public Implementation {
  public:
    explicit OpenCl(cl_device_id device) : device_(device) {
        cl_int code = CL_SUCCESS;
        context_ = clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &code);
        check(code, "clCreateContext");
        queue_ = clCreateCommandQueue(context_, device_, 0, &code);
        check(code, "clCreateCommandQueue");
    }
    ~OpenCl() override {
        clReleaseCommandQueue(queue_);
        clReleaseContext(context_);
    }

    Outcome measure(const Workload& workload, const Run& run, int repeats) override {
        cl_int code = CL_SUCCESS;
        const cl_program program =
            clCreateProgramWithSource(context_, 1, const_cast<const char**>(&workload.source), nullptr, &code);
        check(code, "clCreateProgramWithSource");
        check(clBuildProgram(program, 1, &device_, "", nullptr, nullptr), "clBuildProgram");
        const cl_kernel kernel = clCreateKernel(program, workload.kernel, &code);
        check(code, "clCreateKernel");
        const std::vector<cl_mem> images = picturesOf(kernel, run);
        const std::vector<cl_mem> buffers = arguments(kernel, run);
        Outcome outcome;
        for (int i = 0; i < repeats; ++i) {
            fill(buffers, run);
            outcome.time.improve(launch(kernel, run), i == 0);
        }
        outcome.result.resize(run.buffers[run.result].size());
        check(clEnqueueReadBuffer(queue_, buffers[run.result], CL_TRUE, 0, outcome.result.size() * 4,
                                  outcome.result.data(), 0, nullptr, nullptr),
              "clEnqueueReadBuffer");
        for (const auto& memory : {images, buffers})
            for (const cl_mem each : memory) clReleaseMemObject(each);
        clReleaseKernel(kernel);
        clReleaseProgram(program);
        return outcome;
    }

  private:
    std::vector<cl_mem> picturesOf(cl_kernel kernel, const Run& run) {
        constexpr cl_image_format kFormat{CL_RGBA, CL_UNORM_INT8};
        std::vector<cl_mem> images;
        for (const Picture& picture : run.pictures) {
            cl_image_desc description{};
            description.image_type = CL_MEM_OBJECT_IMAGE2D;
            description.image_width = picture.width;
            description.image_height = picture.height;
            cl_int code = CL_SUCCESS;
            auto* const texels = const_cast<std::uint32_t*>(picture.texels.data());
            images.push_back(clCreateImage(context_, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &kFormat, &description,
                                           texels, &code));
            check(code, "clCreateImage");
            check(clSetKernelArg(kernel, static_cast<cl_uint>(images.size()) - 1, sizeof(cl_mem), &images.back()),
                  "clSetKernelArg");
        }
        return images;
    }

    std::vector<cl_mem> arguments(cl_kernel kernel, const Run& run) {
        std::vector<cl_mem> buffers;
        auto index = static_cast<cl_uint>(run.pictures.size());
        for (const auto& content : run.buffers) {
            cl_int code = CL_SUCCESS;
            buffers.push_back(clCreateBuffer(context_, CL_MEM_READ_WRITE, content.size() * 4, nullptr, &code));
            check(code, "clCreateBuffer");
            check(clSetKernelArg(kernel, index++, sizeof(cl_mem), &buffers.back()), "clSetKernelArg");
        }
        for (const std::uint32_t scalar : run.scalars)
            check(clSetKernelArg(kernel, index++, sizeof scalar, &scalar), "clSetKernelArg");
        return buffers;
    }

    void fill(const std::vector<cl_mem>& buffers, const Run& run) {
        for (std::size_t b = 0; b < buffers.size(); ++b) {
            check(clEnqueueWriteBuffer(queue_, buffers[b], CL_TRUE, 0, run.buffers[b].size() * 4, run.buffers[b].data(),
                                       0, nullptr, nullptr),
                  "clEnqueueWriteBuffer");
        }
        check(clFinish(queue_), "clFinish");
    }

    Time launch(cl_kernel kernel, const Run& run) {
        const std::size_t global[2] = {run.global[0], run.global[1]};
        const std::size_t local[2] = {run.local[0], run.local[1]};
        const Time begin = Time::now();
        check(clEnqueueNDRangeKernel(queue_, kernel, 2, nullptr, global, local, 0, nullptr, nullptr),
              "clEnqueueNDRangeKernel");
        check(clFinish(queue_), "clFinish");
        return Time::now().since(begin);
    }

    cl_device_id device_;
    cl_context context_ = nullptr;
    cl_command_queue queue_ = nullptr;
};

/// Oclgrind registers no platform of its own, and others are not to be loaded: a folder of ours names the one.
void select(const std::filesystem::path& vendor) {
    const auto folder = std::filesystem::temp_directory_path() / ("zetl-vendors-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
    if (vendor.extension() == ".icd") {
        std::filesystem::copy_file(vendor, folder / vendor.filename());
    } else {
        std::ofstream(folder / "vendor.icd") << vendor.string() << '\n';
    }
    setenv("OCL_ICD_VENDORS", (folder.string() + "/").c_str(), 1);
    cl_uint count = 0;
    clGetPlatformIDs(0, nullptr, &count);
    std::filesystem::remove_all(folder);
}

}  // namespace

std::unique_ptr<Implementation> makeOpenCl(const std::string& vendor) {
    select(vendor);
    cl_platform_id platform = nullptr;
    cl_device_id device = nullptr;
    check(clGetPlatformIDs(1, &platform, nullptr), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr), "clGetDeviceIDs");
    return std::make_unique<OpenCl>(device);
}

}  // namespace zetl::benchmark::emulator
