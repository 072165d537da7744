// Reserved address ranges and their mappings (core specification, "Reserved Device Allocations").
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/result.h"

namespace zetl::emulator::driver {

class Device;
class PhysicalMemory;

// Addresses and sizes must be multiples of the machine's page size, which zeVirtualMemQueryPageSize returns, or the
// functions return UNSUPPORTED_SIZE or UNSUPPORTED_ALIGNMENT. INVALID_ARGUMENT for ranges that are not reserved or are
// mapped already. Unmapping and setting access apply to the mappings in a reserved range; if there are none, they do
// nothing.
Result<void*> reserveRange(const void* wanted, std::size_t bytes);
Status releaseRange(const void* address, std::size_t bytes);
Status mapRange(const void* address, std::size_t bytes, const PhysicalMemory& physical, std::size_t offset,
                ze_memory_access_attribute_t access);
Status unmapRange(const void* address, std::size_t bytes);
Status setRangeAccess(const void* address, std::size_t bytes, ze_memory_access_attribute_t access);

/// The access of the byte at an address, and the number of bytes from there on that have it.
struct RangeAccess {
    ze_memory_access_attribute_t access;
    std::size_t bytes;
};
Result<RangeAccess> rangeAccess(const void* address, std::size_t bytes);
Status readRangeAccess(const void* address, std::size_t bytes, ze_memory_access_attribute_t& access,
                       std::size_t& accessBytes);

/// There is one page size, also for a size of 0: the specification has UNSUPPORTED_SIZE for that, but Intel's driver
/// returns a page size, and programs (the conformance suite among them) rely on it.
std::size_t pageBytesFor(std::size_t bytes) noexcept;

}  // namespace zetl::emulator::driver
