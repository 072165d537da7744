// ze_kernel_handle_t (core specification, "Kernels").
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/synchronized.h"
#include "nvidia/driver/program/cubin.h"
#include "nvidia/driver/program/module.h"
#include "nvidia/driver/shared_parts.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::nvidia {

using Extent = std::array<std::uint32_t, 3>;

/// The state that the next launch of a kernel takes: everything that can be set.
struct KernelState {
    std::vector<std::uint8_t> arguments;    ///< as the kernel reads them, one after the other
    std::vector<std::uint32_t> localBytes;  ///< of each argument; 0 unless it is local memory
    std::uint32_t dynamicShared = 0;        ///< their sum, plus what alignment adds
    Extent groupSize{1, 1, 1};
    ze_kernel_indirect_access_flags_t indirectAccess = 0;
};

/// A kernel of a module, with arguments. Thread-safe.
class Kernel : public Object<Kernel, ze_kernel_handle_t> {
  public:
    static constexpr const char* kNoun = "kernel";

    /// INVALID_KERNEL_NAME. `code` is the module's.
    static Result<std::shared_ptr<Kernel>> create(std::shared_ptr<Module> module,
                                                  std::shared_ptr<const LoadedCode> code, const char* name);

    struct Parameter {
        std::size_t offset = 0;
        std::size_t size = 0;
        bool local = false;  ///< known to be a pointer to local memory
    };
    struct Parts {
        std::shared_ptr<Module> module;
        std::shared_ptr<const LoadedCode> code;
        std::string name;
        CUfunction function = nullptr;
        std::vector<Parameter> parameters;  ///< the program's, and those of the global offset
        std::size_t offsetAt = 0;  ///< index of the first one of these; the number of parameters if there are none
        std::uint32_t threadsPerGroup = 0;  ///< at most
        std::uint32_t staticShared = 0;     ///< bytes of local memory that the kernel declares
        std::uint32_t privateBytes = 0;     ///< per thread
        Extent requiredGroup{};             ///< the only group size; zeroes: any

        bool hasRequiredGroup() const noexcept { return requiredGroup[0] != 0; }
    };
    explicit Kernel(Parts parts);

    const Parts& parts() const noexcept { return parts_; }

    /// Submits a launch with the present state. The stream's context must be current.
    Status launch(CUstream stream, const Extent& groups, bool cooperative);
    /// INVALID_ARGUMENT if the groups of a cooperative launch cannot be resident together.
    Status checkCooperative(const Extent& groups);

    // The same for a state that a list has recorded.
    KernelState state() const;
    Status launchWith(const KernelState& state, CUstream stream, const Extent& groups, bool cooperative) const;
    Status checkCooperative(const KernelState& state, const Extent& groups) const;
    Status setGroupSizeIn(KernelState& state, const Extent& size) const;
    /// UNSUPPORTED_FEATURE if it is not zero, and the kernel has no parameters for it.
    Status setGlobalOffsetIn(KernelState& state, const Extent& offset) const;
    Status setArgumentIn(KernelState& state, std::uint32_t index, std::size_t size, const void* value) const;

    // The exported functions, without their first argument.
    Status setGroupSize(std::uint32_t x, std::uint32_t y, std::uint32_t z);
    Status suggestGroupSize(std::uint32_t globalX, std::uint32_t globalY, std::uint32_t globalZ, std::uint32_t* x,
                            std::uint32_t* y, std::uint32_t* z);
    Status suggestMaxCooperativeGroupCount(std::uint32_t* count);
    Status setArgumentValue(std::uint32_t index, std::size_t size, const void* value);
    Status setGlobalOffset(std::uint32_t x, std::uint32_t y, std::uint32_t z);
    Status setIndirectAccess(ze_kernel_indirect_access_flags_t flags);
    Status getIndirectAccess(ze_kernel_indirect_access_flags_t* flags);
    Status setCacheConfig(ze_cache_config_flags_t flags);
    Status getProperties(ze_kernel_properties_t* out);
    Status getName(std::size_t* size, char* out);
    Status getSourceAttributes(std::uint32_t* size, char** out);
    Status getBinary(std::size_t* size, std::uint8_t* out);
    Status getBaseAddress(std::uint64_t* address);

  private:
    bool takesGlobalOffset() const noexcept { return parts_.offsetAt < parts_.parameters.size(); }
    Result<CodeSection> section() const;
    Result<std::uint32_t> residentGroups(const KernelState& state) const;

    const Parts parts_;
    Synchronized<KernelState> state_;
};

}  // namespace zetl::nvidia
