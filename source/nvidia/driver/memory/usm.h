// Unified shared memory: the allocations of one context (core specification, "Memory").
#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/result.h"
#include "driver/allocations.h"
#include "nvidia/driver/device/device.h"

namespace zetl::nvidia {

/// One allocation, as the application sees it.
struct UsmAllocation : driver::Allocation<Device> {
    std::uint64_t block = 0;  ///< CUDA's address: `begin` or, for a large alignment, before it
};

/// The allocations of one context. Device memory is cuMemAlloc's; host and shared memory are the host's, pinned and
/// mapped, at one address on both sides. Thread-safe.
class Usm {
  public:
    explicit Usm(std::shared_ptr<Device::Work> work) : work_(std::move(work)) {}
    Usm(const Usm&) = delete;
    Usm& operator=(const Usm&) = delete;
    /// Frees the remaining allocations.
    ~Usm();

    struct Request {
        ze_memory_type_t type = ZE_MEMORY_TYPE_UNKNOWN;
        std::size_t bytes = 0;
        std::size_t alignment = 0;
        std::shared_ptr<Device> device;
        CUcontext context = nullptr;
    };
    /// UNSUPPORTED_SIZE (0), UNSUPPORTED_ALIGNMENT, OUT_OF_DEVICE_MEMORY, OUT_OF_HOST_MEMORY.
    Result<void*> allocate(const Request& request);
    /// `pointer` must be the beginning of an allocation that is not an IPC import.
    Status free(void* pointer);

    Result<void*> import(const CUipcMemHandle& handle, const Request& request);
    Status closeImport(const void* pointer);

    /// The allocation that contains the pointer.
    std::optional<UsmAllocation> find(const void* pointer) const { return allocations_.find(pointer); }

  private:
    /// Enters the allocation; frees CUDA's memory again if it cannot be entered.
    Result<void*> note(UsmAllocation allocation);
    Status giveBack(const UsmAllocation& allocation) const noexcept;
    Result<std::uint64_t> block(const Request& request, std::size_t bytes) const;

    const std::shared_ptr<Device::Work> work_;
    driver::Allocations<UsmAllocation> allocations_;
};

}  // namespace zetl::nvidia
