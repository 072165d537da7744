// Reserved address ranges and what is mapped in them (core specification, "Reserved Device Allocations").
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/result.h"

namespace zetl::emulator::driver {

class Device;
class PhysicalMemory;

// Addresses and sizes are multiples of the machine's page size, which zeVirtualMemQueryPageSize tells; UNSUPPORTED_SIZE
// or UNSUPPORTED_ALIGNMENT otherwise. INVALID_ARGUMENT for ranges that are not reserved or are mapped already.
// Unmapping and setting access concern what is mapped in a reserved range; where that is nothing, nothing is done.
Result<void*> reserveRange(const void* wanted, std::size_t bytes);
Status releaseRange(const void* address, std::size_t bytes);
Status mapRange(const void* address, std::size_t bytes, const PhysicalMemory& physical, std::size_t offset,
                ze_memory_access_attribute_t access);
Status unmapRange(const void* address, std::size_t bytes);
Status setRangeAccess(const void* address, std::size_t bytes, ze_memory_access_attribute_t access);

/// Access of the byte at an address, and how many bytes from there on have it.
struct RangeAccess {
    ze_memory_access_attribute_t access;
    std::size_t bytes;
};
Result<RangeAccess> rangeAccess(const void* address, std::size_t bytes);

}  // namespace zetl::emulator::driver
