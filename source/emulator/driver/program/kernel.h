// ze_kernel_handle_t (core specification, "Kernels").
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/synchronized.h"
#include "emulator/driver/memory/usm.h"
#include "emulator/driver/program/kernel_state.h"
#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::driver {

class KernelMemory;
class Module;

/// One use of a kernel of a module: its arguments and group size. Thread-safe, although the specification requires
/// callers to serialise their calls.
class Kernel : public Object<Kernel, ze_kernel_handle_t> {
  public:
    static constexpr const char* kNoun = "kernel";

    /// INVALID_KERNEL_NAME, INVALID_MODULE_UNLINKED.
    static Result<std::shared_ptr<Kernel>> create(std::shared_ptr<Module> module, const ze_kernel_desc_t& description);
    Kernel(std::shared_ptr<Module> module, const binary::KernelImage& image, std::shared_ptr<KernelMemory> memory);

    // Codes: kernel_state.h.
    Status setGroupSize(const module::Extent& size);
    Status setArgument(std::uint32_t index, std::size_t size, const void* value);
    Status setAll(const module::Extent& size, void** values);
    Status setIndirectAccess(ze_kernel_indirect_access_flags_t flags);
    void setGlobalOffset(const module::Extent& offset);

    KernelState state() const;
    /// A kernel with the same state.
    Result<std::shared_ptr<Kernel>> clone() const;
    /// An allocation into which its pointer arguments point.
    struct UsedAllocation {
        UsmAllocation allocation;
        std::uint32_t argument;
    };
    std::vector<UsedAllocation> allocations() const;
    Status describe(ze_kernel_properties_t& out) const;
    Status listAllocations(std::uint32_t* count, ze_kernel_allocation_exp_properties_t* out) const;
    ze_kernel_indirect_access_flags_t indirectAccess() const { return state().indirectAccess(); }
    /// A size for groups that cover these work-items. OUT_OF_DEVICE_MEMORY if no group has enough local memory.
    Status suggestGroupSize(const module::Extent& global, std::uint32_t& x, std::uint32_t& y, std::uint32_t& z) const;
    /// How many groups of the present size are resident at once.
    std::uint32_t maxCooperativeGroups() const;
    /// Where its code begins. Profilers find the kernel of a sampled instruction by it.
    std::uint64_t baseAddress() const noexcept;

    // Texts and bytes: as many as `size` says are written, if `out` is not null, and `size` becomes their number.
    void getName(std::size_t& size, char* out) const;
    void getBinary(std::size_t& size, std::uint8_t* out) const;
    void getBinaryText(std::size_t& size, char* out) const { getBinary(size, reinterpret_cast<std::uint8_t*>(out)); }
    // INVALID_ARGUMENT for an index that the kernel does not have, or a type that its binary does not name.
    Status argumentSize(std::uint32_t index, std::uint32_t& size) const;
    Status argumentType(std::uint32_t index, std::uint32_t& size, char* out) const;
    /// `*text` is the caller's own buffer.
    void getSourceAttributes(std::uint32_t& size, char** text) const;

    const binary::KernelImage& image() const noexcept { return image_; }
    const std::shared_ptr<Module>& module() const noexcept { return module_; }
    /// The memory that its launches share.
    const std::shared_ptr<KernelMemory>& memory() const noexcept { return memory_; }

  private:
    const machine::DeviceProfile& profile() const noexcept;
    /// As Intel's driver, which checks it for kernels built from SPIR-V only: UNSUPPORTED_IMAGE_FORMAT.
    Status checkFormat(std::uint32_t index, const void* value) const;

    const std::shared_ptr<Module> module_;
    const binary::KernelImage& image_;  ///< lives in module_
    const std::shared_ptr<KernelMemory> memory_;
    Synchronized<KernelState> state_;
};

// What changes nothing here. INVALID_ENUMERATION for flags that are not known.
/// The emulated cache has one configuration.
Status acceptCacheConfig(ze_cache_config_flags_t flags) noexcept;
/// Threads are always scheduled fairly.
Status acceptSchedulingHint(const ze_scheduling_hint_exp_desc_t& hint) noexcept;

}  // namespace zetl::emulator::driver
