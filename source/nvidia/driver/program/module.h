// ze_module_handle_t (core specification, "Modules").
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/once.h"
#include "driver/build_log.h"
#include "nvidia/driver/device/context.h"
#include "nvidia/driver/program/door.h"
#include "nvidia/driver/program/image.h"
#include "nvidia/driver/shared_parts.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::nvidia {

class Kernel;

/// A module on one device: given machine code, or code that NVIDIA's driver compiled from PTX, which may come from
/// SPIR-V. Immutable; thread-safe.
class Module : public Object<Module, ze_module_handle_t> {
  public:
    static constexpr const char* kNoun = "module";

    /// Appends the compilers' messages to `log`. INVALID_NATIVE_BINARY, MODULE_BUILD_FAILURE, DEPENDENCY_UNAVAILABLE.
    static Result<std::shared_ptr<Module>> create(std::shared_ptr<Context> context, Context::Member place,
                                                  const ze_module_desc_t& description, std::string& log);
    struct Parts {
        std::shared_ptr<Context> context;
        Context::Member place;
        Bytes image;
        std::string options;  ///< as given; empty for machine code
        CUmodule module = nullptr;
        std::vector<std::string> kernels;
        KernelTexts texts;  ///< kernelsOf() its PTX
    };
    explicit Module(Parts parts);
    ~Module();

    const Context::Member& place() const noexcept { return parts_.place; }
    CUmodule cuda() const noexcept { return parts_.module; }
    /// Unique in the life of the process; never 0.
    std::uint64_t id() const noexcept { return id_; }
    const Bytes& image() const noexcept { return parts_.image; }
    /// The address that stands for the image: CUDA reports no addresses of code, so the driver gives each module's
    /// image a range of its own, and an instruction is at its offset in the image. It identifies code and cannot be
    /// read.
    std::uint64_t codeAddress() const noexcept { return codeAddress_; }
    const std::string& options() const noexcept { return parts_.options; }
    /// Whether a kernel's parameter is known to be a pointer to local memory.
    bool isLocal(std::string_view kernel, std::size_t parameter) const;
    /// The group size that a kernel must have; zeroes if none is known.
    std::array<std::uint32_t, 3> requiredGroup(std::string_view kernel) const;
    /// Call it before each launch; the first may wait for a debugger.
    void prepareLaunch() { launched_.call(waitAtDoor); }
    const std::vector<std::string>& kernels() const noexcept { return parts_.kernels; }

    // The exported functions, without their first argument.
    /// INVALID_KERNEL_NAME.
    Result<std::shared_ptr<Kernel>> createKernel(const ze_kernel_desc_t& description);
    Status getNativeBinary(std::size_t* size, std::uint8_t* out);
    Status getGlobalPointer(const char* name, std::size_t* size, void** pointer);
    Status getFunctionPointer(const char* name, void** pointer);
    Status getKernelNames(std::uint32_t* count, const char** names);
    Status getProperties(ze_module_properties_t* out);

  private:
    const Parts parts_;
    const std::uint64_t id_;
    const std::uint64_t codeAddress_;
    Once launched_;
};

}  // namespace zetl::nvidia
