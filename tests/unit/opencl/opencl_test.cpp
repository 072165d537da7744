// OpenCL as oneMKL and oneDNN use it: the twin of a Level Zero device compiles, and the binary is taken away.
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include "binary/native_binary.h"
#include "emulator/opencl/entry.h"
#include "emulator/opencl/objects.h"

namespace zetl::emulator::opencl {
namespace {

class OpenCl : public testing::Test {
  protected:
    OpenCl() {
        EXPECT_EQ(getPlatformIds(1, &platform_, nullptr), CL_SUCCESS);
        call_ = platform_->dispatch;
        EXPECT_EQ(call_->clGetDeviceIDs(platform_, CL_DEVICE_TYPE_GPU, 2, devices_, nullptr), CL_SUCCESS);
        context_ = call_->clCreateContext(nullptr, 2, devices_, nullptr, nullptr, &code_);
        EXPECT_EQ(code_, CL_SUCCESS);
    }
    ~OpenCl() override { EXPECT_EQ(call_->clReleaseContext(context_), CL_SUCCESS); }

    cl_program programOf(const char* source) {
        const cl_program made = call_->clCreateProgramWithSource(context_, 1, &source, nullptr, &code_);
        EXPECT_EQ(code_, CL_SUCCESS);
        return made;
    }
    std::string logOf(cl_program program) {
        std::size_t bytes = 0;
        EXPECT_EQ(call_->clGetProgramBuildInfo(program, devices_[0], CL_PROGRAM_BUILD_LOG, 0, nullptr, &bytes),
                  CL_SUCCESS);
        std::string text(bytes, '?');
        EXPECT_EQ(call_->clGetProgramBuildInfo(program, devices_[0], CL_PROGRAM_BUILD_LOG, bytes, text.data(), nullptr),
                  CL_SUCCESS);
        return text;
    }

    cl_platform_id platform_ = nullptr;
    const cl_icd_dispatch* call_ = nullptr;
    cl_device_id devices_[2] = {};
    cl_context context_ = nullptr;
    cl_int code_ = 99;
};

TEST_F(OpenCl, ProgramsBecomeNativeBinariesOfTheirKernels) {
    const cl_program program = programOf("kernel void twice(global int* a) { a[get_global_id(0)] *= FACTOR; }");
    bool told = false;
    EXPECT_EQ(call_->clBuildProgram(
                  program, 2, devices_, "-DFACTOR=2", [](cl_program, void* seen) { *static_cast<bool*>(seen) = true; },
                  &told),
              CL_SUCCESS)
        << logOf(program);
    EXPECT_TRUE(told);
    std::size_t sizes[2] = {};
    ASSERT_EQ(call_->clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, nullptr), CL_SUCCESS);
    std::vector<std::uint8_t> second(sizes[1]);
    unsigned char* places[2] = {nullptr, second.data()};
    ASSERT_EQ(call_->clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof places, places, nullptr), CL_SUCCESS);
    const auto image = binary::readNative(second);
    ASSERT_TRUE(image) << image.error().message;
    ASSERT_EQ((*image)->kernels.size(), 1u);
    EXPECT_EQ((*image)->kernels[0].name, "twice");

    const unsigned char* from[] = {second.data(), second.data()};
    const cl_program again = call_->clCreateProgramWithBinary(context_, 2, devices_, sizes, from, nullptr, &code_);
    ASSERT_EQ(code_, CL_SUCCESS);
    EXPECT_EQ(call_->clBuildProgram(again, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS);
    for (const cl_program each : {program, again}) EXPECT_EQ(call_->clReleaseProgram(each), CL_SUCCESS);
}

TEST_F(OpenCl, ErrorsOfThePrograms) {
    const cl_program program = programOf("kernel void k(global int* a) { a[0] = nonsense; }");
    EXPECT_EQ(call_->clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr), CL_BUILD_PROGRAM_FAILURE);
    EXPECT_NE(logOf(program).find("nonsense"), std::string::npos) << logOf(program);
    cl_build_status status = CL_BUILD_NONE;
    EXPECT_EQ(
        call_->clGetProgramBuildInfo(program, devices_[0], CL_PROGRAM_BUILD_STATUS, sizeof status, &status, nullptr),
        CL_SUCCESS);
    EXPECT_EQ(status, CL_BUILD_ERROR);
    EXPECT_EQ(call_->clReleaseProgram(program), CL_SUCCESS);
    EXPECT_EQ(call_->clCreateProgramWithSource(context_, 0, nullptr, nullptr, &code_), nullptr);
    EXPECT_EQ(code_, CL_INVALID_VALUE);
    EXPECT_EQ(call_->clCreateProgramWithIL(context_, "", 0, &code_), nullptr);
    EXPECT_EQ(code_, CL_INVALID_VALUE);
    EXPECT_EQ(call_->clBuildProgram(nullptr, 0, nullptr, nullptr, nullptr, nullptr), CL_INVALID_PROGRAM);
}

TEST_F(OpenCl, DevicesAreKnownByWhatLevelZeroSaysOfThem) {
    cl_uint vendor = 0;
    cl_uint clock = 0;
    cl_bool available = CL_TRUE;
    char name[256] = {};
    EXPECT_EQ(call_->clGetDeviceInfo(devices_[1], CL_DEVICE_VENDOR_ID, sizeof vendor, &vendor, nullptr), CL_SUCCESS);
    EXPECT_EQ(call_->clGetDeviceInfo(devices_[1], CL_DEVICE_MAX_CLOCK_FREQUENCY, sizeof clock, &clock, nullptr),
              CL_SUCCESS);
    EXPECT_EQ(call_->clGetDeviceInfo(devices_[1], CL_DEVICE_NAME, sizeof name, name, nullptr), CL_SUCCESS);
    EXPECT_EQ(call_->clGetDeviceInfo(devices_[1], CL_DEVICE_AVAILABLE, sizeof available, &available, nullptr),
              CL_SUCCESS);
    EXPECT_EQ(vendor, 0x8086u);
    EXPECT_EQ(clock, 1600u);
    EXPECT_NE(std::string(name).find("emulated"), std::string::npos) << name;
    EXPECT_EQ(available, CL_FALSE) << "nothing runs there";
    machine::Uuid uuids[2] = {};
    for (int i : {0, 1})
        EXPECT_EQ(call_->clGetDeviceInfo(devices_[i], CL_DEVICE_UUID_KHR, sizeof uuids[i], &uuids[i], nullptr),
                  CL_SUCCESS);
    EXPECT_EQ(uuids[1], machine::uuidOf(machine::configuredProfile().devices[1], 1));
    EXPECT_NE(uuids[0], uuids[1]);
    EXPECT_EQ(call_->clGetDeviceInfo(devices_[1], CL_DEVICE_NAME, 1, name, nullptr), CL_INVALID_VALUE);
    EXPECT_EQ(call_->clGetDeviceInfo(nullptr, CL_DEVICE_NAME, 1, name, nullptr), CL_INVALID_DEVICE);
}

TEST_F(OpenCl, DevicesHaveNoParts) {
    const cl_device_partition_property domain[] = {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN,
                                                   CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE, 0};
    const cl_device_partition_property nothing[] = {0};
    cl_uint most = 99;
    cl_uint found = 99;
    EXPECT_EQ(call_->clGetDeviceInfo(devices_[0], CL_DEVICE_PARTITION_MAX_SUB_DEVICES, sizeof most, &most, nullptr),
              CL_SUCCESS);
    EXPECT_EQ(most, 0u);
    EXPECT_EQ(call_->clCreateSubDevices(devices_[0], domain, 0, nullptr, &found), CL_DEVICE_PARTITION_FAILED);
    EXPECT_EQ(call_->clCreateSubDevices(devices_[0], nothing, 0, nullptr, &found), CL_INVALID_VALUE);
    EXPECT_EQ(call_->clCreateSubDevices(devices_[0], nullptr, 0, nullptr, &found), CL_INVALID_VALUE);
    EXPECT_EQ(call_->clCreateSubDevices(nullptr, domain, 0, nullptr, &found), CL_INVALID_DEVICE);
    EXPECT_EQ(found, 99u);
}

// SYCL's OpenCL adapter lists all devices and would offer this one for execution.
TEST_F(OpenCl, WhoListsAllDevicesFindsNone) {
    cl_uint count = 99;
    EXPECT_EQ(call_->clGetDeviceIDs(platform_, CL_DEVICE_TYPE_ALL, 0, nullptr, &count), CL_DEVICE_NOT_FOUND);
    EXPECT_EQ(count, 0u);
    EXPECT_EQ(call_->clGetDeviceIDs(platform_, CL_DEVICE_TYPE_GPU, 0, nullptr, &count), CL_SUCCESS);
    EXPECT_EQ(count, 2u);
    EXPECT_EQ(call_->clGetDeviceIDs(nullptr, CL_DEVICE_TYPE_GPU, 0, nullptr, &count), CL_INVALID_PLATFORM);
}

// oneDNN chooses its kernels by these, and makes no engine if one is missing.
TEST_F(OpenCl, DevicesTellWhatKernelsCanCountOn) {
    const machine::DeviceProfile profile = machine::configuredProfile().devices[1];
    const auto number = [this](cl_device_info name, auto wanted) {
        decltype(wanted) found = 0;
        EXPECT_EQ(call_->clGetDeviceInfo(devices_[1], name, sizeof found, &found, nullptr), CL_SUCCESS) << name;
        EXPECT_EQ(found, wanted) << name;
    };
    number(CL_DEVICE_IP_VERSION_INTEL, cl_version{12u << 22 | 60u << 14 | 7u});
    number(CL_DEVICE_ID_INTEL, cl_uint{profile.deviceId});
    number(CL_DEVICE_FEATURE_CAPABILITIES_INTEL,
           cl_bitfield{CL_DEVICE_FEATURE_FLAG_DP4A_INTEL | CL_DEVICE_FEATURE_FLAG_DPAS_INTEL});
    number(CL_DEVICE_NUM_EUS_PER_SUB_SLICE_INTEL, cl_uint{8});
    number(CL_DEVICE_NUM_THREADS_PER_EU_INTEL, cl_uint{8});
    number(CL_DEVICE_MAX_COMPUTE_UNITS, cl_uint{profile.tiles * profile.eus()});
    number(CL_DEVICE_MAX_WORK_GROUP_SIZE, std::size_t{profile.maxGroupSize});
    number(CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, cl_ulong{profile.cacheBytes});
    number(CL_DEVICE_LOCAL_MEM_SIZE, cl_ulong{profile.slmBytes});
    number(CL_DEVICE_MAX_PARAMETER_SIZE, std::size_t{2048});
    number(CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL, cl_bitfield{0});
    number(0x4232, cl_bitfield{1u << 0 | 1u << 1 | 1u << 16});  // of doubles: exchange, and addition in global memory
    std::size_t sizes[3] = {};
    std::size_t bytes = 0;
    EXPECT_EQ(call_->clGetDeviceInfo(devices_[1], CL_DEVICE_SUB_GROUP_SIZES_INTEL, sizeof sizes, sizes, &bytes),
              CL_SUCCESS);
    EXPECT_EQ(bytes, 2 * sizeof(std::size_t));
    EXPECT_EQ(sizes[0] + sizes[1], 48u);
    EXPECT_EQ(call_->clGetDeviceInfo(devices_[1], 0x7777, 0, nullptr, &bytes), CL_INVALID_VALUE);
}

struct Extension {
    const char* name;
    const char* kernel;
};
void PrintTo(const Extension& each, std::ostream* out) { *out << each.name; }
class OpenClExtension : public OpenCl, public testing::WithParamInterface<Extension> {};

TEST_P(OpenClExtension, IsCompiled) {
    char all[1024] = {};
    EXPECT_EQ(call_->clGetDeviceInfo(devices_[0], CL_DEVICE_EXTENSIONS, sizeof all, all, nullptr), CL_SUCCESS);
    EXPECT_NE((std::string(all) + ' ').find(std::string(GetParam().name) + ' '), std::string::npos) << all;
    const cl_program program = programOf(GetParam().kernel);
    // Compiler 22.43 has what the last two declare, but does not say so; oneDNN defines the names itself.
    const std::string options = "-D" + std::string(GetParam().name);
    EXPECT_EQ(call_->clBuildProgram(program, 0, nullptr, options.c_str(), nullptr, nullptr), CL_SUCCESS)
        << logOf(program);
    EXPECT_EQ(call_->clReleaseProgram(program), CL_SUCCESS);
}
INSTANTIATE_TEST_SUITE_P(
    , OpenClExtension,
    testing::Values(
        Extension{"cl_intel_subgroups_char",
                  "kernel void k(global uchar* a) { intel_sub_group_block_write_uc(a, intel_sub_group_block_read_uc(a "
                  "+ 64)); }"},
        Extension{"cl_intel_subgroups_long",
                  "kernel void k(global ulong* a) { intel_sub_group_block_write_ul(a, intel_sub_group_block_read_ul(a "
                  "+ 64)); }"},
        Extension{"cl_intel_subgroup_local_block_io",
                  "kernel void k(global uint* a) { local uint b[64]; b[get_local_id(0)] = a[get_local_id(0)];"
                  " barrier(CLK_LOCAL_MEM_FENCE); a[get_local_id(0)] = intel_sub_group_block_read(b + 16); }"},
        Extension{"cl_intel_subgroup_matrix_multiply_accumulate",
                  "__attribute__((intel_reqd_sub_group_size(16))) kernel void k(global float8* a, global short8* b, "
                  "global int8* c)"
                  " { a[0] = intel_sub_group_f16_f16_matrix_mad_k16(b[get_local_id(0)], c[get_local_id(0)], a[0]); }"}),
    [](const auto& each) { return std::string(each.param.name); });

// oneDNN makes a queue of a device, and a kernel of generated code, before it trusts either.
TEST_F(OpenCl, QueuesAreMadeAndStayEmpty) {
    const cl_queue_properties wanted[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
    const cl_command_queue queue = call_->clCreateCommandQueueWithProperties(context_, devices_[1], wanted, &code_);
    ASSERT_EQ(code_, CL_SUCCESS);
    cl_context context = nullptr;
    cl_device_id device = nullptr;
    cl_command_queue_properties properties = 0;
    EXPECT_EQ(call_->clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, nullptr), CL_SUCCESS);
    EXPECT_EQ(call_->clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, nullptr), CL_SUCCESS);
    EXPECT_EQ(call_->clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, nullptr),
              CL_SUCCESS);
    EXPECT_EQ(context, context_);
    EXPECT_EQ(device, devices_[1]);
    EXPECT_EQ(properties, cl_command_queue_properties{CL_QUEUE_PROFILING_ENABLE});
    EXPECT_EQ(call_->clFinish(queue), CL_SUCCESS);
    EXPECT_EQ(call_->clEnqueueMarkerWithWaitList(queue, 0, nullptr, nullptr), CL_INVALID_OPERATION);
    EXPECT_EQ(call_->clEnqueueNDRangeKernel(queue, nullptr, 1, nullptr, nullptr, nullptr, 0, nullptr, nullptr),
              CL_INVALID_OPERATION);
    EXPECT_EQ(call_->clEnqueueMapBuffer(queue, nullptr, CL_TRUE, 0, 0, 1, 0, nullptr, nullptr, &code_), nullptr);
    EXPECT_EQ(code_, CL_INVALID_OPERATION);
    EXPECT_EQ(call_->clReleaseCommandQueue(queue), CL_SUCCESS);
    EXPECT_EQ(call_->clCreateCommandQueue(context_, nullptr, 0, &code_), nullptr);
    EXPECT_EQ(code_, CL_INVALID_DEVICE);
    EXPECT_EQ(call_->clCreateCommandQueue(nullptr, devices_[0], 0, &code_), nullptr);
    EXPECT_EQ(code_, CL_INVALID_CONTEXT);
}

TEST_F(OpenCl, KernelsAreWhatTheBinaryHas) {
    const cl_program program = programOf("kernel void one(global int* a, int b) { a[0] = b; } kernel void two() {}");
    EXPECT_EQ(call_->clCreateKernel(program, "one", &code_), nullptr);
    EXPECT_EQ(code_, CL_INVALID_PROGRAM_EXECUTABLE);
    ASSERT_EQ(call_->clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS) << logOf(program);
    EXPECT_EQ(call_->clCreateKernel(program, "three", &code_), nullptr);
    EXPECT_EQ(code_, CL_INVALID_KERNEL_NAME);
    char names[32] = {};
    EXPECT_EQ(call_->clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof names, names, nullptr), CL_SUCCESS);
    EXPECT_EQ(std::string(names), "one;two");

    const cl_kernel kernel = call_->clCreateKernel(program, "one", &code_);
    ASSERT_EQ(code_, CL_SUCCESS);
    EXPECT_EQ(call_->clReleaseProgram(program), CL_SUCCESS);  // the kernel holds it
    cl_uint arguments = 0;
    cl_program holder = nullptr;
    EXPECT_EQ(call_->clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof names, names, nullptr), CL_SUCCESS);
    EXPECT_EQ(call_->clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof arguments, &arguments, nullptr), CL_SUCCESS);
    EXPECT_EQ(call_->clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof holder, &holder, nullptr), CL_SUCCESS);
    EXPECT_EQ(std::string(names), "one");
    EXPECT_EQ(arguments, 2u);
    EXPECT_EQ(holder, program);
    EXPECT_EQ(call_->clGetKernelArgInfo(kernel, 1, CL_KERNEL_ARG_NAME, sizeof names, names, nullptr),
              CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
    EXPECT_EQ(call_->clGetKernelArgInfo(kernel, 2, CL_KERNEL_ARG_NAME, sizeof names, names, nullptr),
              CL_INVALID_ARG_INDEX);
    EXPECT_EQ(call_->clSetKernelArg(kernel, 1, 4, &arguments), CL_INVALID_OPERATION);

    cl_kernel all[2] = {};
    cl_uint count = 0;
    EXPECT_EQ(call_->clCreateKernelsInProgram(program, 1, all, &count), CL_INVALID_VALUE);
    EXPECT_EQ(call_->clCreateKernelsInProgram(program, 2, all, &count), CL_SUCCESS);
    EXPECT_EQ(count, 2u);
    for (const cl_kernel each : {kernel, all[0], all[1]}) EXPECT_EQ(call_->clReleaseKernel(each), CL_SUCCESS);
}

TEST_F(OpenCl, BinariesThatNobodyCanRunAreRefused) {
    const unsigned char junk[] = {1, 2, 3, 4, 5, 6, 7, 8};
    const unsigned char* binaries[] = {junk, junk};
    const std::size_t sizes[] = {sizeof junk, sizeof junk};
    cl_int states[2] = {};
    EXPECT_EQ(call_->clCreateProgramWithBinary(context_, 2, devices_, sizes, binaries, states, &code_), nullptr);
    EXPECT_EQ(code_, CL_INVALID_BINARY);
    EXPECT_EQ(states[1], CL_INVALID_BINARY);
}

TEST_F(OpenCl, WhatWouldRunIsRefused) {
    EXPECT_EQ(call_->clCreateBuffer(context_, CL_MEM_READ_WRITE, 64, nullptr, &code_), nullptr);
    EXPECT_EQ(code_, CL_INVALID_OPERATION);
    EXPECT_EQ(call_->clSVMAlloc(context_, CL_MEM_READ_WRITE, 64, 0), nullptr);
}

}  // namespace
}  // namespace zetl::emulator::opencl
