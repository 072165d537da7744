// Reserved address ranges of one context and what is mapped there, by CUDA's virtual memory (core specification,
// "Reserved Device Allocations").
#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "nvidia/driver/device/device.h"

namespace zetl::nvidia {

class PhysicalMemory;

/// What is mapped at an address.
struct MappedMemory {
    std::uint64_t begin = 0;
    std::size_t bytes = 0;
    ze_memory_access_attribute_t access = ZE_MEMORY_ACCESS_ATTRIBUTE_NONE;
    std::uint64_t id = 0;  ///< of the physical memory
    std::shared_ptr<Device> device;
};

/// Addresses and sizes must be multiples of the page size, or the functions return UNSUPPORTED_ALIGNMENT or
/// UNSUPPORTED_SIZE. INVALID_ARGUMENT for a range that is not in the state that a call needs. Thread-safe.
class VirtualMemory {
  public:
    /// Of a context over these devices, which all reach what is mapped.
    explicit VirtualMemory(std::vector<CUdevice> devices) : devices_(std::move(devices)) {}
    VirtualMemory(const VirtualMemory&) = delete;
    VirtualMemory& operator=(const VirtualMemory&) = delete;
    /// Unmaps and frees what the application left.
    ~VirtualMemory();

    /// The kind of memory that physical memory of a device is.
    static CUmemAllocationProp propertiesOn(CUdevice device) noexcept;
    static Result<std::size_t> pageBytes(CUdevice device);

    /// A range elsewhere if there is no room at `wanted`, which may be null.
    Result<void*> reserve(const void* wanted, std::size_t bytes);
    /// Nothing may be mapped there.
    Status release(const void* address, std::size_t bytes);
    /// UNSUPPORTED_FEATURE for an offset: CUDA maps memory from its beginning.
    Status map(const void* address, std::size_t bytes, const PhysicalMemory& physical, std::size_t offset,
               ze_memory_access_attribute_t access);
    /// Of every mapping in the range, each of which must lie in it completely.
    Status unmap(const void* address, std::size_t bytes);
    Status setAccess(const void* address, std::size_t bytes, ze_memory_access_attribute_t access);
    /// The access at an address, and how far it reaches.
    Status getAccess(const void* address, std::size_t bytes, ze_memory_access_attribute_t& access,
                     std::size_t& accessBytes);

    std::optional<MappedMemory> find(const void* address) const;

  private:
    using Mappings = std::map<std::uint64_t, MappedMemory>;

    Result<std::uint64_t> checked(const void* address, std::size_t bytes) const;
    bool isReserved(std::uint64_t begin, std::size_t bytes) const ZETL_REQUIRES(mutex_);
    std::pair<Mappings::iterator, Mappings::iterator> mappedIn(std::uint64_t begin, std::size_t bytes)
        ZETL_REQUIRES(mutex_);
    /// The mappings in a reserved range. INVALID_ARGUMENT if one is only partly in it.
    Result<std::pair<Mappings::iterator, Mappings::iterator>> wholeIn(std::uint64_t begin, std::size_t bytes)
        ZETL_REQUIRES(mutex_);
    Status give(std::uint64_t begin, std::size_t bytes, ze_memory_access_attribute_t access) const noexcept;

    const std::vector<CUdevice> devices_;
    mutable Mutex mutex_;
    std::map<std::uint64_t, std::size_t> reserved_ ZETL_GUARDED_BY(mutex_);
    Mappings mapped_ ZETL_GUARDED_BY(mutex_);
};

}  // namespace zetl::nvidia
