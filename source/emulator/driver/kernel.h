// ze_kernel_handle_t (core specification, "Kernels").
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/synchronized.h"
#include "emulator/driver/object.h"
#include "emulator/module/kernel_image.h"
#include "emulator/module/payload.h"

namespace zetl::emulator::driver {

class KernelMemory;
class Module;

/// What a launch takes from a kernel at the moment it is appended.
struct KernelState {
    module::Extent groupSize{1, 1, 1};
    module::Extent globalOffset{0, 0, 0};
    std::vector<module::ArgumentValue> arguments;
    ze_kernel_indirect_access_flags_t indirectAccess = 0;
};

/// One use of a kernel of a module: its arguments and group size. Thread-safe, although the specification asks callers
/// to serialise themselves.
class Kernel : public Object<Kernel, ze_kernel_handle_t> {
  public:
    static constexpr const char* kNoun = "kernel";

    /// INVALID_KERNEL_NAME, INVALID_MODULE_UNLINKED.
    static Result<std::shared_ptr<Kernel>> create(std::shared_ptr<Module> module, const ze_kernel_desc_t& description);
    Kernel(std::shared_ptr<Module> module, const module::KernelImage& image);

    /// INVALID_GROUP_SIZE_DIMENSION if a size is 0, the product too large, or other than the source requires.
    Status setGroupSize(const module::Extent& size);
    /// INVALID_KERNEL_ARGUMENT_INDEX, INVALID_KERNEL_ARGUMENT_SIZE. `value` null: a null pointer or local memory.
    Status setArgument(std::uint32_t index, std::size_t size, const void* value);
    void setIndirectAccess(ze_kernel_indirect_access_flags_t flags);
    void setGlobalOffset(const module::Extent& offset);

    KernelState state() const;
    Status describe(ze_kernel_properties_t& out) const;

    const module::KernelImage& image() const noexcept { return image_; }
    const std::shared_ptr<Module>& module() const noexcept { return module_; }
    /// Memory its launches share.
    const std::shared_ptr<KernelMemory>& memory() const noexcept { return memory_; }

  private:
    const std::shared_ptr<Module> module_;
    const module::KernelImage& image_;  ///< lives in module_
    const std::shared_ptr<KernelMemory> memory_;
    Synchronized<KernelState> state_;
};

}  // namespace zetl::emulator::driver
