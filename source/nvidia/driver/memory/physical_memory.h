// ze_physical_mem_handle_t (core specification, "Reserved Device Allocations").
#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "nvidia/driver/device/context.h"
#include "nvidia/driver/shared_parts.h"

namespace zetl::nvidia {

/// Memory of a device to which virtual ranges can be mapped; CUDA keeps it as long as a mapping. Immutable.
class PhysicalMemory : public Object<PhysicalMemory, ze_physical_mem_handle_t> {
  public:
    static constexpr const char* kNoun = "physical memory object";

    /// UNSUPPORTED_SIZE (not a multiple of the page size), INVALID_ENUMERATION, OUT_OF_DEVICE_MEMORY;
    /// UNSUPPORTED_FEATURE for memory on the host and for descriptors to share it by.
    static Result<std::shared_ptr<PhysicalMemory>> create(const std::shared_ptr<Context>& context,
                                                          Context::Member place,
                                                          const ze_physical_mem_desc_t& description);
    PhysicalMemory(Context::Member place, CUmemGenericAllocationHandle pages, std::size_t bytes);
    ~PhysicalMemory();
    PhysicalMemory(const PhysicalMemory&) = delete;
    PhysicalMemory& operator=(const PhysicalMemory&) = delete;

    CUmemGenericAllocationHandle pages() const noexcept { return pages_; }
    std::size_t bytes() const noexcept { return bytes_; }
    const std::shared_ptr<Device>& device() const noexcept { return place_.device; }
    std::uint64_t id() const noexcept { return id_; }  ///< never reused

    Status getProperties(ze_physical_mem_properties_t& out) const noexcept;

  private:
    const Context::Member place_;
    const CUmemGenericAllocationHandle pages_;
    const std::size_t bytes_;
    const std::uint64_t id_;
};

}  // namespace zetl::nvidia
