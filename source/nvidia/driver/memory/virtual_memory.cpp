#include "nvidia/driver/memory/virtual_memory.h"

#include <algorithm>

#include "nvidia/cuda/api.h"
#include "nvidia/cuda/result.h"
#include "nvidia/driver/memory/physical_memory.h"

namespace zetl::nvidia {
namespace {

std::uint64_t numberOf(const void* pointer) noexcept { return reinterpret_cast<std::uint64_t>(pointer); }

/// Whether CUDA has an access like this one, and which.
std::optional<CUmemAccess_flags> accessFlags(ze_memory_access_attribute_t access) noexcept {
    switch (access) {
        case ZE_MEMORY_ACCESS_ATTRIBUTE_NONE:
            return CU_MEM_ACCESS_FLAGS_PROT_NONE;
        case ZE_MEMORY_ACCESS_ATTRIBUTE_READONLY:
            return CU_MEM_ACCESS_FLAGS_PROT_READ;
        case ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE:
            return CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
        default:
            return std::nullopt;
    }
}

Status wrongState(const void* address, std::size_t bytes, const char* why) {
    return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "[{}, +{}): {}", address, bytes, why);
}

constexpr const char* kNotReserved = "not in a range that zeVirtualMemReserve gave in this context";

}  // namespace

VirtualMemory::~VirtualMemory() {
    for (const auto& [begin, mapped] : mapped_) cuda().cuMemUnmap(begin, mapped.bytes);
    for (const auto& [begin, bytes] : reserved_) cuda().cuMemAddressFree(begin, bytes);
}

CUmemAllocationProp VirtualMemory::propertiesOn(CUdevice device) noexcept {
    CUmemAllocationProp properties{};
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    properties.location.id = device;
    return properties;
}

Result<std::size_t> VirtualMemory::pageBytes(CUdevice device) {
    const CUmemAllocationProp properties = propertiesOn(device);
    std::size_t bytes = 0;
    const Status bad = ZETL_CUDA(cuMemGetAllocationGranularity(&bytes, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    if (bad != ZE_RESULT_SUCCESS) return bad;
    return bytes;
}

/// The address, if it and the size are multiples of the page size.
Result<std::uint64_t> VirtualMemory::checked(const void* address, std::size_t bytes) const {
    const auto page = pageBytes(devices_.front());
    if (!page) return page.code();
    if (bytes == 0 || bytes % *page != 0)
        return refuse(ZE_RESULT_ERROR_UNSUPPORTED_SIZE, "{} bytes are not a multiple of the page size of {}", bytes,
                      *page);
    if (numberOf(address) % *page != 0)
        return refuse(ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT, "{} is not aligned to the page size of {}", address,
                      *page);
    return numberOf(address);
}

Result<void*> VirtualMemory::reserve(const void* wanted, std::size_t bytes) {
    if (const auto good = checked(nullptr, bytes); !good) return good.code();
    CUdeviceptr begin = 0;
    const Status bad = ZETL_CUDA(cuMemAddressReserve(&begin, bytes, 0, numberOf(wanted), 0));
    if (bad != ZE_RESULT_SUCCESS) return bad;
    const Lock guard(mutex_);
    reserved_[begin] = bytes;
    return reinterpret_cast<void*>(begin);
}

bool VirtualMemory::isReserved(std::uint64_t begin, std::size_t bytes) const {
    auto after = reserved_.upper_bound(begin);
    if (after == reserved_.begin()) return false;
    const auto& [from, size] = *std::prev(after);
    return bytes <= size && begin - from <= size - bytes;
}

std::pair<VirtualMemory::Mappings::iterator, VirtualMemory::Mappings::iterator> VirtualMemory::mappedIn(
    std::uint64_t begin, std::size_t bytes) {
    auto first = mapped_.upper_bound(begin);
    if (first != mapped_.begin() && begin - std::prev(first)->first < std::prev(first)->second.bytes) --first;
    return {first, mapped_.lower_bound(begin + bytes)};
}

Result<std::pair<VirtualMemory::Mappings::iterator, VirtualMemory::Mappings::iterator>> VirtualMemory::wholeIn(
    std::uint64_t begin, std::size_t bytes) {
    const auto* const address = reinterpret_cast<const void*>(begin);
    if (!isReserved(begin, bytes)) return wrongState(address, bytes, kNotReserved);
    const auto found = mappedIn(begin, bytes);
    const auto isWhole = [&](const auto& mapped) {
        return mapped.first >= begin && mapped.second.bytes <= bytes &&
               mapped.first - begin <= bytes - mapped.second.bytes;
    };
    if (!std::all_of(found.first, found.second, isWhole))
        return wrongState(address, bytes, "a part of a mapping; CUDA unmaps and protects whole ones");
    return found;
}

Status VirtualMemory::release(const void* address, std::size_t bytes) {
    const auto begin = checked(address, bytes);
    if (!begin) return begin.code();
    const Lock guard(mutex_);
    const auto range = reserved_.find(*begin);
    if (range == reserved_.end() || range->second != bytes) return wrongState(address, bytes, kNotReserved);
    if (const auto found = mappedIn(*begin, bytes); found.first != found.second)
        return wrongState(address, bytes, "something is mapped there; unmap it first");
    const Status bad = ZETL_CUDA(cuMemAddressFree(*begin, bytes));
    if (bad == ZE_RESULT_SUCCESS) reserved_.erase(range);
    return bad;
}

Status VirtualMemory::give(std::uint64_t begin, std::size_t bytes, ze_memory_access_attribute_t access) const noexcept {
    const auto flags = accessFlags(access).value_or(CU_MEM_ACCESS_FLAGS_PROT_NONE);
    for (const CUdevice device : devices_) {
        CUmemAccessDesc description{};
        description.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
        description.location.id = device;
        description.flags = flags;
        if (const Status bad = ZETL_CUDA(cuMemSetAccess(begin, bytes, &description, 1)); bad != ZE_RESULT_SUCCESS)
            return bad;
    }
    return ZE_RESULT_SUCCESS;
}

Status VirtualMemory::map(const void* address, std::size_t bytes, const PhysicalMemory& physical, std::size_t offset,
                          ze_memory_access_attribute_t access) {
    if (!accessFlags(access)) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    const auto begin = checked(address, bytes);
    if (!begin) return begin.code();
    if (offset != 0)
        return refuse(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE,
                      "physical memory is mapped from its beginning, not from {}; make an object for each part",
                      offset);
    if (bytes > physical.bytes()) return wrongState(address, bytes, "larger than the physical memory");
    const Lock guard(mutex_);
    if (!isReserved(*begin, bytes)) return wrongState(address, bytes, kNotReserved);
    if (const auto found = mappedIn(*begin, bytes); found.first != found.second)
        return wrongState(address, bytes, "something is mapped there already");
    if (const Status bad = ZETL_CUDA(cuMemMap(*begin, bytes, 0, physical.pages(), 0)); bad != ZE_RESULT_SUCCESS)
        return bad;
    // What is mapped cannot be reached at first.
    const Status bad = access == ZE_MEMORY_ACCESS_ATTRIBUTE_NONE ? ZE_RESULT_SUCCESS : give(*begin, bytes, access);
    if (bad == ZE_RESULT_SUCCESS)
        mapped_[*begin] = {*begin, bytes, access, physical.id(), physical.device()};
    else
        cuda().cuMemUnmap(*begin, bytes);
    return bad;
}

Status VirtualMemory::unmap(const void* address, std::size_t bytes) {
    const auto begin = checked(address, bytes);
    if (!begin) return begin.code();
    const Lock guard(mutex_);
    const auto found = wholeIn(*begin, bytes);
    if (!found) return found.code();
    for (auto each = found->first; each != found->second; each = mapped_.erase(each)) {
        const Status bad = ZETL_CUDA(cuMemUnmap(each->first, each->second.bytes));
        if (bad != ZE_RESULT_SUCCESS) return bad;
    }
    return ZE_RESULT_SUCCESS;
}

Status VirtualMemory::setAccess(const void* address, std::size_t bytes, ze_memory_access_attribute_t access) {
    if (!accessFlags(access)) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    const auto begin = checked(address, bytes);
    if (!begin) return begin.code();
    const Lock guard(mutex_);
    const auto found = wholeIn(*begin, bytes);
    if (!found) return found.code();
    for (auto each = found->first; each != found->second; ++each) {
        const Status bad = give(each->first, each->second.bytes, access);
        if (bad != ZE_RESULT_SUCCESS) return bad;
        each->second.access = access;
    }
    return ZE_RESULT_SUCCESS;
}

Status VirtualMemory::getAccess(const void* address, std::size_t bytes, ze_memory_access_attribute_t& access,
                                std::size_t& accessBytes) {
    const auto begin = checked(address, bytes);
    if (!begin) return begin.code();
    const Lock guard(mutex_);
    if (!isReserved(*begin, bytes)) return wrongState(address, bytes, kNotReserved);
    const auto found = mappedIn(*begin, bytes);
    access = ZE_MEMORY_ACCESS_ATTRIBUTE_NONE;
    accessBytes = bytes;
    if (found.first == found.second) return ZE_RESULT_SUCCESS;
    const auto& mapped = found.first->second;
    if (mapped.begin > *begin) {
        accessBytes = mapped.begin - *begin;
    } else {
        access = mapped.access;
        accessBytes = std::min<std::size_t>(bytes, mapped.begin + mapped.bytes - *begin);
    }
    return ZE_RESULT_SUCCESS;
}

std::optional<MappedMemory> VirtualMemory::find(const void* address) const {
    const Lock guard(mutex_);
    const auto after = mapped_.upper_bound(numberOf(address));
    if (after == mapped_.begin()) return std::nullopt;
    const auto& mapped = std::prev(after)->second;
    return numberOf(address) - mapped.begin < mapped.bytes ? std::optional(mapped) : std::nullopt;
}

}  // namespace zetl::nvidia
