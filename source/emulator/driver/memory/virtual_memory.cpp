#include "emulator/driver/memory/virtual_memory.h"

#include <algorithm>

#include "emulator/driver/device/platform.h"
#include "emulator/driver/memory/physical_memory.h"
#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::driver {
namespace {

std::uint64_t addressOf(const void* pointer) noexcept { return reinterpret_cast<std::uint64_t>(pointer); }

Status checkRange(const void* address, std::size_t bytes) {
    const std::uint64_t page = machine::Memory::pageBytes();
    if (bytes == 0 || bytes % page != 0)
        return refuse(ZE_RESULT_ERROR_UNSUPPORTED_SIZE, "{} bytes are not a multiple of the page size of {}", bytes,
                      page);
    if (addressOf(address) % page != 0)
        return refuse(ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT, "{} is not aligned to the page size of {}", address, page);
    return ZE_RESULT_SUCCESS;
}

Status answer(machine::MemoryStatus status, const void* address, std::size_t bytes) {
    using machine::MemoryStatus;
    if (status == MemoryStatus::ok) return ZE_RESULT_SUCCESS;
    if (status == MemoryStatus::outOfHostMemory) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    if (status == MemoryStatus::lost) return ZE_RESULT_ERROR_DEVICE_LOST;
    return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                  "[{}, +{}) is not a reserved range in the state this call needs (reserved, mapped or not mapped)",
                  address, bytes);
}

Result<machine::Permission> permissionOf(ze_memory_access_attribute_t access) {
    switch (access) {
        case ZE_MEMORY_ACCESS_ATTRIBUTE_NONE:
            return machine::Permission::none;
        case ZE_MEMORY_ACCESS_ATTRIBUTE_READONLY:
            return machine::Permission::read;
        case ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE:
            return machine::Permission::readWrite;
        default:
            return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    }
}

ze_memory_access_attribute_t accessOf(machine::Permission permission) noexcept {
    if (permission == machine::Permission::none) return ZE_MEMORY_ACCESS_ATTRIBUTE_NONE;
    return permission == machine::Permission::read ? ZE_MEMORY_ACCESS_ATTRIBUTE_READONLY
                                                   : ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE;
}

}  // namespace

Result<void*> reserveRange(const void* wanted, std::size_t bytes) {
    if (const Status bad = checkRange(nullptr, bytes); bad != ZE_RESULT_SUCCESS) return bad;
    const auto range = platform().memory().reserve(addressOf(wanted), bytes);
    if (const Status bad = answer(range.status, wanted, bytes); bad != ZE_RESULT_SUCCESS) return bad;
    return reinterpret_cast<void*>(range.address);
}

Status releaseRange(const void* address, std::size_t bytes) {
    if (const Status bad = checkRange(address, bytes); bad != ZE_RESULT_SUCCESS) return bad;
    return answer(platform().memory().release(addressOf(address), bytes), address, bytes);
}

Status mapRange(const void* address, std::size_t bytes, const PhysicalMemory& physical, std::size_t offset,
                ze_memory_access_attribute_t access) {
    const auto permission = permissionOf(access);
    if (!permission) return permission.code();
    if (const Status bad = checkRange(address, bytes); bad != ZE_RESULT_SUCCESS) return bad;
    if (offset % machine::Memory::pageBytes() != 0)
        return refuse(ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT, "offset {} is not aligned to the page size", offset);
    const auto owner = addressOf(physical.device());
    return answer(platform().memory().map(addressOf(address), bytes, physical.pages(), offset, *permission, owner),
                  address, bytes);
}

Status unmapRange(const void* address, std::size_t bytes) {
    if (const Status bad = checkRange(address, bytes); bad != ZE_RESULT_SUCCESS) return bad;
    return answer(platform().memory().unmap(addressOf(address), bytes), address, bytes);
}

Status setRangeAccess(const void* address, std::size_t bytes, ze_memory_access_attribute_t access) {
    const auto permission = permissionOf(access);
    if (!permission) return permission.code();
    if (const Status bad = checkRange(address, bytes); bad != ZE_RESULT_SUCCESS) return bad;
    return answer(platform().memory().protect(addressOf(address), bytes, *permission), address, bytes);
}

Result<RangeAccess> rangeAccess(const void* address, std::size_t bytes) {
    if (const Status bad = checkRange(address, bytes); bad != ZE_RESULT_SUCCESS) return bad;
    const std::uint64_t from = addressOf(address);
    if (const auto mapped = platform().memory().find(from))
        return RangeAccess{accessOf(mapped->permission), std::min<std::size_t>(bytes, mapped->end - from)};
    if (const auto reserved = platform().memory().findReserved(from))
        return RangeAccess{ZE_MEMORY_ACCESS_ATTRIBUTE_NONE, std::min<std::size_t>(bytes, reserved->end - from)};
    return answer(machine::MemoryStatus::invalid, address, bytes);
}

Status readRangeAccess(const void* address, std::size_t bytes, ze_memory_access_attribute_t& access,
                       std::size_t& accessBytes) {
    const auto found = rangeAccess(address, bytes);
    if (!found) return found.code();
    access = found->access;
    accessBytes = found->bytes;
    return ZE_RESULT_SUCCESS;
}

std::size_t pageBytesFor(std::size_t) noexcept { return kPhysicalPageBytes; }

}  // namespace zetl::emulator::driver
