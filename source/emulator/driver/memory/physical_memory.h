// ze_physical_mem_handle_t (core specification, "Reserved Device Allocations").
#pragma once

#include <memory>

#include "base/result.h"
#include "emulator/driver/shared_parts.h"
#include "emulator/machine/memory.h"

namespace zetl::emulator::driver {

class Device;

/// What zeVirtualMemQueryPageSize reports, and physical memory of a device is a multiple of. Measured with Intel's
/// driver 26.27, whose ranges and memory on the host are multiples of 4 KiB.
inline constexpr std::size_t kPhysicalPageBytes = 64 << 10;

/// Pages to which virtual ranges can be mapped; mappings keep them alive. Immutable.
class PhysicalMemory : public Object<PhysicalMemory, ze_physical_mem_handle_t> {
  public:
    static constexpr const char* kNoun = "physical memory object";

    /// `device` may be null for ZE_PHYSICAL_MEM_FLAG_ALLOCATE_ON_HOST. UNSUPPORTED_SIZE (not a multiple of the page
    /// size), INVALID_ENUMERATION, OUT_OF_DEVICE_MEMORY, and with a descriptor to import INVALID_ARGUMENT and
    /// UNSUPPORTED_ENUMERATION.
    static Result<std::shared_ptr<PhysicalMemory>> create(Device* device, const ze_physical_mem_desc_t& description);
    /// `device` null: on the host.
    PhysicalMemory(std::shared_ptr<machine::PhysicalMemory> pages, Device* device);

    std::uint64_t id() const noexcept { return id_; }  ///< never reused

    const std::shared_ptr<machine::PhysicalMemory>& pages() const noexcept { return pages_; }
    Device* device() const noexcept { return device_; }  ///< null: on the host

  private:
    const std::shared_ptr<machine::PhysicalMemory> pages_;
    Device* const device_;
    const std::uint64_t id_;
};

}  // namespace zetl::emulator::driver
