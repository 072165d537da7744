// The functions zeMem... of a context: allocations and questions about them (core specification, "Memory").
#pragma once

#include <cstddef>
#include <memory>

#include "base/result.h"
#include "emulator/driver/memory/usm.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::emulator::driver {

class Context;
class Device;

// Errors: those of Usm::allocate(), INVALID_ARGUMENT for a device outside the context, INVALID_ENUMERATION, and
// UNSUPPORTED_ENUMERATION for an unknown description in the chain.
Result<void*> allocateOnDevice(Context& context, const ze_device_mem_alloc_desc_t& description, std::size_t size,
                               std::size_t alignment, std::shared_ptr<Device> device);
Result<void*> allocateOnHost(Context& context, const ze_host_mem_alloc_desc_t& description, std::size_t size,
                             std::size_t alignment);
/// `device` may be null.
Result<void*> allocateShared(Context& context, const ze_device_mem_alloc_desc_t& onDevice,
                             const ze_host_mem_alloc_desc_t& onHost, std::size_t size, std::size_t alignment,
                             std::shared_ptr<Device> device);

// These serve allocations of any context; the wrong one is logged.
Status freeMemory(Context& context, void* pointer);
Status freeMemoryExt(Context& context, const ze_memory_free_ext_desc_t& description, void* pointer);
Status setFreeCallback(Context& context, const void* pointer, const FreeCallback& callback);
/// All memory is always resident, but the range must be in an allocation: INVALID_SIZE, INVALID_ARGUMENT.
Status checkResident(Context& context, void* pointer, std::size_t size);
/// `device` may be null. A pointer in no allocation has properties, too: it is of no known type.
Status describeAllocation(Context& context, const void* pointer, ze_memory_allocation_properties_t& out,
                          ze_device_handle_t* device);
/// `base` and `size` may be null. ADDRESS_NOT_FOUND.
Status addressRange(Context& context, const void* pointer, void** base, std::size_t* size);

/// Both return INVALID_ARGUMENT for a pointer in no allocation of the context.
Status setAtomicAccess(Context& context, const void* pointer, std::size_t size,
                       ze_memory_atomic_attr_exp_flags_t flags);
Result<ze_memory_atomic_attr_exp_flags_t> atomicAccess(Context& context, const void* pointer, std::size_t size);

}  // namespace zetl::emulator::driver
