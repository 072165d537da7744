// OpenCL as oneMKL and oneDNN use it: the twin of a Level Zero device compiles, and the binary is taken away.
#include <gtest/gtest.h>

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

TEST_F(OpenCl, WhatWouldRunIsRefused) {
    EXPECT_EQ(call_->clCreateCommandQueueWithProperties(context_, devices_[0], nullptr, &code_), nullptr);
    EXPECT_EQ(code_, CL_INVALID_OPERATION);
    code_ = 0;
    EXPECT_EQ(call_->clCreateBuffer(context_, CL_MEM_READ_WRITE, 64, nullptr, &code_), nullptr);
    EXPECT_EQ(code_, CL_INVALID_OPERATION);
    EXPECT_EQ(call_->clSVMAlloc(context_, CL_MEM_READ_WRITE, 64, 0), nullptr);
    const cl_program program = programOf("kernel void k() {}");
    EXPECT_EQ(call_->clCreateKernel(program, "k", &code_), nullptr);
    EXPECT_EQ(code_, CL_INVALID_OPERATION);
    EXPECT_EQ(call_->clReleaseProgram(program), CL_SUCCESS);
}

}  // namespace
}  // namespace zetl::emulator::opencl
