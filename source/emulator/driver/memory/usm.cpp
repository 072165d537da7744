#include "emulator/driver/memory/usm.h"

#include <cxxabi.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "emulator/driver/device/device.h"
#include "emulator/driver/device/driver.h"
#include "emulator/driver/device/in_flight.h"
#include "emulator/driver/device/platform.h"
#include "emulator/driver/memory/memory_sharing.h"
#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::driver {
namespace {

constexpr std::size_t kLargestAlignment = 1ull << 30;

machine::MemoryKind kindOf(ze_memory_type_t type) {
    if (type == ZE_MEMORY_TYPE_DEVICE) return machine::MemoryKind::device;
    return type == ZE_MEMORY_TYPE_HOST ? machine::MemoryKind::host : machine::MemoryKind::shared;
}

std::uint64_t largestAllocation(const UsmRequest& request) {
    if (request.relaxedLimit) return 0;
    return (request.device ? *request.device : *Driver::instance().devices().front()).profile().maxAllocationBytes;
}

Status check(const UsmRequest& request) {
    if (request.bytes == 0) return ZE_RESULT_ERROR_UNSUPPORTED_SIZE;
    if (request.alignment > kLargestAlignment)
        return refuse(ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT, "alignment {}; the device offers up to {}",
                      request.alignment, kLargestAlignment);
    // The conformance suite passes an allocation's size as its alignment, whatever it is; Intel's drivers accept that.
    if (std::popcount(request.alignment) > 1 && request.alignment != request.bytes)
        return refuse(ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT, "alignment {} is no power of two; {} would do",
                      request.alignment, std::bit_ceil(request.alignment));
    return ZE_RESULT_SUCCESS;
}

Status codeOfMemory(machine::MemoryStatus status, std::uint64_t bytes) {
    using machine::MemoryStatus;
    switch (status) {
        case MemoryStatus::ok:
            return ZE_RESULT_SUCCESS;
        case MemoryStatus::outOfHostMemory:
            return refuse(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "the host has no {} bytes left", bytes);
        case MemoryStatus::outOfDeviceMemory:
            return refuse(ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY,
                          "the device memory of this profile has no {} bytes left", bytes);
        case MemoryStatus::tooLarge:
            return refuse(ZE_RESULT_ERROR_UNSUPPORTED_SIZE,
                          "{} bytes are more than maxMemAllocSize; chain ze_relaxed_allocation_limits_exp_desc_t",
                          bytes);
        case MemoryStatus::lost:
            return ZE_RESULT_ERROR_DEVICE_LOST;
        case MemoryStatus::invalid:
            break;
    }
    return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the memory request of {} bytes cannot be met", bytes);
}

/// Call it without a lock, since the callback may free other memory. Exceptions of the callback are not handled.
void call(const FreeCallback& callback) {
    if (!callback.function) return;
    try {
        callback.function(callback.data);
    } catch (const abi::__forced_unwind&) {
        throw;  // the exception ends the thread and must pass
    } catch (...) {
        log::error(log::Channel::emulator, "an exception came out of a callback for freed memory");
    }
}

}  // namespace

Usm::~Usm() {
    const auto left = allocations_.takeLeft();
    for (const auto& [begin, allocation] : left) call(allocation.freed);
    for (const auto& [begin, allocation] : left) {
        dropMemoryHandles(begin);
        platform().memory().free(begin);
    }
}

Result<void*> Usm::allocate(const UsmRequest& request) {
    if (const Status bad = check(request); bad != ZE_RESULT_SUCCESS) return bad;
    machine::Memory& memory = platform().memory();
    const auto owner = reinterpret_cast<std::uint64_t>(this);
    machine::Memory::Answer answer;
    if (request.descriptor) {
        answer = memory.import(*request.descriptor, request.bytes, owner);
        if (answer.status == machine::MemoryStatus::invalid)
            return refuseDescriptor(*request.descriptor, request.bytes);
    } else {
        machine::Memory::Request wanted;
        wanted.bytes = request.bytes;
        wanted.alignment = std::bit_ceil(request.alignment);
        wanted.kind = kindOf(request.type);
        wanted.owner = owner;
        wanted.largest = largestAllocation(request);
        // Device memory has no host that could store to it, and shared memory is not for export (zeMemGetIpcHandle).
        wanted.shareable = request.type == ZE_MEMORY_TYPE_HOST || request.exported;
        if (request.type == ZE_MEMORY_TYPE_DEVICE) wanted.budget = request.device->memoryBudget();
        answer = memory.allocate(wanted);
    }
    return note(answer, request, false);
}

Result<void*> Usm::note(const machine::Memory::Answer& answer, const UsmRequest& request, bool imported) {
    if (const Status bad = codeOfMemory(answer.status, request.bytes); bad != ZE_RESULT_SUCCESS) return bad;
    machine::Memory& memory = platform().memory();
    const auto known = memory.find(answer.address);
    try {
        UsmAllocation noted{
            {answer.address, request.bytes, known ? known->id : 0, request.type, request.device, imported}};
        noted.exported = request.exported;
        allocations_.insert(std::move(noted));
    } catch (...) {
        memory.free(answer.address);
        throw;
    }
    return reinterpret_cast<void*>(answer.address);
}

void Usm::tellFreed(const void* pointer) {
    FreeCallback freed;
    allocations_.change(pointer, [&](UsmAllocation& found) {
        if (found.begin == reinterpret_cast<std::uint64_t>(pointer)) freed = std::exchange(found.freed, {});
    });
    call(freed);
}

Status Usm::setFreeCallback(const void* pointer, const FreeCallback& callback) {
    if (allocations_.change(pointer, [&](UsmAllocation& found) { found.freed = callback; })) return ZE_RESULT_SUCCESS;
    return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "{} is in no allocation of this context", pointer);
}

Status Usm::free(void* pointer, Freeing when) {
    tellFreed(pointer);
    const auto allocation = allocations_.take(pointer, false);
    if (!allocation) return allocation.code();
    const auto begin = allocation->begin;
    dropMemoryHandles(begin);
    if (when == Freeing::now) return codeOfMemory(platform().memory().free(begin), 0);
    InFlight::instance().whenDone([begin] { platform().memory().free(begin); });
    return ZE_RESULT_SUCCESS;
}

Result<void*> Usm::import(int descriptor, std::uint64_t bytes, std::shared_ptr<Device> device) {
    UsmRequest request;
    request.type = ZE_MEMORY_TYPE_DEVICE;
    request.bytes = bytes;
    request.device = std::move(device);
    return note(platform().memory().import(descriptor, bytes, reinterpret_cast<std::uint64_t>(this)), request, true);
}

Status Usm::closeImport(void* pointer) {
    const auto allocation = allocations_.take(pointer, true);
    return allocation ? codeOfMemory(platform().memory().free(allocation->begin), 0) : allocation.code();
}

Status Usm::setAtomics(const void* pointer, std::uint32_t flags) {
    bool shared = false;
    allocations_.change(pointer, [&](UsmAllocation& found) {
        shared = found.type == ZE_MEMORY_TYPE_SHARED;
        if (shared) found.atomics = flags;
    });
    if (shared) return ZE_RESULT_SUCCESS;
    return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "{} is in no shared allocation of this context", pointer);
}

}  // namespace zetl::emulator::driver
