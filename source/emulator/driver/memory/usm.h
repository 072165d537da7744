// Unified shared memory: the allocations of one context (core specification, "Memory").
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/result.h"
#include "driver/allocations.h"
#include "emulator/machine/memory.h"

namespace zetl::emulator::driver {

class Device;

/// An application's request to be called when an allocation is freed.
struct FreeCallback {
    void (*function)(void*) = nullptr;
    void* data = nullptr;
};

/// One allocation, as the application sees it.
struct UsmAllocation : zetl::driver::Allocation<Device> {
    std::uint32_t atomics = 0;  ///< ze_memory_atomic_attr_exp_flags_t; stored for the application, all atomics work
    FreeCallback freed{};       ///< called, once, by the call that frees it, before it is gone
    bool exported = false;      ///< asked for with ze_external_memory_export_desc_t
};

/// The arguments of an allocation function.
struct UsmRequest {
    ze_memory_type_t type = ZE_MEMORY_TYPE_UNKNOWN;
    std::size_t bytes = 0;
    std::size_t alignment = 0;
    std::shared_ptr<Device> device;
    bool relaxedLimit = false;      ///< ze_relaxed_allocation_limits_exp_desc_t: may be larger than maxMemAllocSize
    std::optional<int> descriptor;  ///< ze_external_memory_import_fd_t
    bool exported = false;          ///< ze_external_memory_export_desc_t
};

/// The allocations of one context. Device address = host address. Thread-safe.
class Usm {
  public:
    Usm() = default;
    Usm(const Usm&) = delete;
    Usm& operator=(const Usm&) = delete;
    /// Frees the remaining allocations.
    ~Usm();

    /// Errors: INVALID_SIZE, UNSUPPORTED_SIZE, UNSUPPORTED_ALIGNMENT, OUT_OF_HOST_MEMORY, OUT_OF_DEVICE_MEMORY,
    /// INVALID_ARGUMENT (descriptor that cannot be mapped).
    Result<void*> allocate(const UsmRequest& request);
    enum class Freeing {
        now,        ///< later accesses, also of commands in flight, are named faults
        afterWork,  ///< once all commands in flight now are done; the call does not wait for that
    };
    /// `pointer` must be the beginning of an allocation that is not imported through IPC.
    Status free(void* pointer, Freeing when = Freeing::now);

    /// Maps another process's allocation.
    Result<void*> import(int descriptor, std::uint64_t bytes, std::shared_ptr<Device> device);
    Status closeImport(void* pointer);

    /// Sets the allocation's only callback; the last one set counts. INVALID_ARGUMENT if the pointer is in no
    /// allocation.
    Status setFreeCallback(const void* pointer, const FreeCallback& callback);
    /// INVALID_ARGUMENT if the pointer is in no shared allocation.
    Status setAtomics(const void* pointer, std::uint32_t flags);

    std::vector<UsmAllocation> list() const { return allocations_.list(); }
    /// The allocation that contains the pointer.
    std::optional<UsmAllocation> find(const void* pointer) const { return allocations_.find(pointer); }

  private:
    /// Enters the allocation; frees the memory again if it cannot be entered.
    Result<void*> note(const machine::Memory::Answer& answer, const UsmRequest& request, bool imported);
    /// Calls the callback of the allocation that begins there, if it has one.
    void tellFreed(const void* pointer);

    zetl::driver::Allocations<UsmAllocation> allocations_;
};

}  // namespace zetl::emulator::driver
