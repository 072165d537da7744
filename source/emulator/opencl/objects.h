// The platform and its objects. OpenCL's handles are these objects' addresses; the ICD loader reads their first word.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "binary/kernel_image.h"
#include "emulator/machine/profile.h"
#include "emulator/machine/uuid.h"
#include "emulator/opencl/headers.h"

namespace zetl::emulator::opencl {

/// All functions; those that would need memory, or would execute something, return CL_INVALID_OPERATION.
const cl_icd_dispatch& dispatchTable() noexcept;

/// The beginning of every object, and its reference count.
struct Object {
    const cl_icd_dispatch* dispatch = &dispatchTable();
    std::atomic<cl_uint> holders{1};
};

}  // namespace zetl::emulator::opencl

struct _cl_device_id {  // NOLINT(bugprone-reserved-identifier): OpenCL's names
    const cl_icd_dispatch* dispatch;
    zetl::emulator::machine::DeviceProfile profile;
    zetl::emulator::machine::Uuid uuid;  ///< the Level Zero device's
};

struct _cl_platform_id {  // NOLINT(bugprone-reserved-identifier)
    const cl_icd_dispatch* dispatch;
    std::vector<_cl_device_id> devices;
};

struct _cl_context : zetl::emulator::opencl::Object {  // NOLINT(bugprone-reserved-identifier)
    std::vector<cl_device_id> devices;
};

struct _cl_program : zetl::emulator::opencl::Object {  // NOLINT(bugprone-reserved-identifier)
    cl_context context = nullptr;
    std::string source;                ///< OpenCL C; empty if it was made otherwise
    zetl::binary::Bytes intermediate;  ///< SPIR-V; empty if it was made otherwise
    std::mutex mutex;                  ///< for the members below
    zetl::binary::Bytes binary;        ///< native, for every device, since they have one instruction set
    std::string options;
    std::string log;
    cl_build_status status = CL_BUILD_NONE;
};

/// It executes nothing.
struct _cl_command_queue : zetl::emulator::opencl::Object {  // NOLINT(bugprone-reserved-identifier)
    cl_context context = nullptr;
    cl_device_id device = nullptr;
    cl_command_queue_properties properties = 0;
};

struct _cl_kernel : zetl::emulator::opencl::Object {  // NOLINT(bugprone-reserved-identifier)
    cl_program program = nullptr;
    std::string name;
    std::string attributes;
    cl_uint arguments = 0;
};

namespace zetl::emulator::opencl {

/// The devices of the configured profile; none if ZETL_EMULATED_DEVICE names no profile.
_cl_platform_id& platform();

/// What programs of the context are built for.
inline const zetl::isa::xe::Product& productOf(const _cl_context& context) {
    return *context.devices.front()->profile.product;
}

}  // namespace zetl::emulator::opencl
