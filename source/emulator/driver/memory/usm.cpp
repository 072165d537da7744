#include "emulator/driver/memory/usm.h"

#include <cxxabi.h>

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "emulator/driver/device/device.h"
#include "emulator/driver/device/driver.h"
#include "emulator/driver/device/in_flight.h"
#include "emulator/driver/device/platform.h"
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
    // The conformance suite gives its size as an allocation's alignment, whatever that is; Intel's drivers take it.
    if (std::popcount(request.alignment) > 1 && request.alignment != request.bytes)
        return refuse(ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT, "alignment {} is no power of two; {} would do",
                      request.alignment, std::bit_ceil(request.alignment));
    return ZE_RESULT_SUCCESS;
}

Status codeOf(machine::MemoryStatus status, std::uint64_t bytes) {
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

/// Without a lock: what is called may free other memory. Its exceptions are its own business.
void call(const FreeCallback& callback) {
    if (!callback.function) return;
    try {
        callback.function(callback.data);
    } catch (const abi::__forced_unwind&) {
        throw;  // it ended the thread, which must be let go
    } catch (...) {
        log::error(log::Module::emulator, "an exception came out of a callback for freed memory");
    }
}

}  // namespace

Usm::~Usm() {
    std::vector<const void*> left;
    allocations_.read([&](const auto& all) {
        for (const auto& [begin, allocation] : all)
            if (allocation.freed.function) left.push_back(reinterpret_cast<const void*>(begin));
    });
    for (const void* pointer : left) tellFreed(pointer);
    allocations_.write([](auto& all) {
        if (!all.empty())
            log::warn(log::Module::emulator, "a context is destroyed with {} allocations in it; they are freed",
                      all.size());
        for (const auto& [begin, allocation] : all) platform().memory().free(begin);
        all.clear();
    });
}

Result<void*> Usm::allocate(const UsmRequest& request) {
    if (const Status bad = check(request); bad != ZE_RESULT_SUCCESS) return bad;
    machine::Memory& memory = platform().memory();
    const auto owner = reinterpret_cast<std::uint64_t>(this);
    machine::Memory::Answer answer;
    if (request.descriptor) {
        answer = memory.import(*request.descriptor, request.bytes, owner);
    } else {
        machine::Memory::Request wanted;
        wanted.bytes = request.bytes;
        wanted.alignment = std::bit_ceil(request.alignment);
        wanted.kind = kindOf(request.type);
        wanted.owner = owner;
        wanted.largest = largestAllocation(request);
        if (request.type == ZE_MEMORY_TYPE_DEVICE) wanted.budget = request.device->memoryBudget();
        answer = memory.allocate(wanted);
    }
    if (const Status bad = codeOf(answer.status, request.bytes); bad != ZE_RESULT_SUCCESS) return bad;
    insert({answer.address, request.bytes, 0, request.type, request.device, false});
    return reinterpret_cast<void*>(answer.address);
}

void Usm::insert(UsmAllocation allocation) {
    if (const auto known = platform().memory().find(allocation.begin)) allocation.id = known->id;
    const auto begin = allocation.begin;
    try {
        allocations_.write([&](auto& all) { all.emplace(begin, std::move(allocation)); });
    } catch (...) {
        platform().memory().free(begin);
        throw;
    }
}

Status Usm::remove(void* pointer, bool imported) {
    const auto begin = reinterpret_cast<std::uint64_t>(pointer);
    const bool known = allocations_.write([&](auto& all) {
        const auto found = all.find(begin);
        if (found == all.end() || found->second.imported != imported) return false;
        all.erase(found);
        return true;
    });
    if (!known)
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                      "{} is not the beginning of a live {} of this context: freed twice, or from elsewhere", pointer,
                      imported ? "IPC import" : "allocation");
    return ZE_RESULT_SUCCESS;
}

void Usm::tellFreed(const void* pointer) {
    call(allocations_.write([&](auto& all) {
        const auto found = all.find(reinterpret_cast<std::uint64_t>(pointer));
        return found == all.end() ? FreeCallback{} : std::exchange(found->second.freed, {});
    }));
}

Status Usm::setFreeCallback(const void* pointer, const FreeCallback& callback) {
    const auto known = find(pointer);
    const bool set = known && allocations_.write([&](auto& all) {
        const auto found = all.find(known->begin);
        if (found != all.end()) found->second.freed = callback;
        return found != all.end();
    });
    return set ? ZE_RESULT_SUCCESS
               : refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "{} is in no allocation of this context", pointer);
}

Status Usm::free(void* pointer, Freeing when) {
    tellFreed(pointer);
    if (const Status bad = remove(pointer, false); bad != ZE_RESULT_SUCCESS) return bad;
    const auto begin = reinterpret_cast<std::uint64_t>(pointer);
    if (when == Freeing::now) return codeOf(platform().memory().free(begin), 0);
    InFlight::instance().whenDone([begin] { platform().memory().free(begin); });
    return ZE_RESULT_SUCCESS;
}

Result<void*> Usm::import(int descriptor, std::uint64_t bytes, std::shared_ptr<Device> device) {
    const auto answer = platform().memory().import(descriptor, bytes, reinterpret_cast<std::uint64_t>(this));
    if (const Status bad = codeOf(answer.status, bytes); bad != ZE_RESULT_SUCCESS) return bad;
    insert({answer.address, bytes, 0, ZE_MEMORY_TYPE_DEVICE, std::move(device), true});
    return reinterpret_cast<void*>(answer.address);
}

Status Usm::closeImport(void* pointer) {
    if (const Status bad = remove(pointer, true); bad != ZE_RESULT_SUCCESS) return bad;
    return codeOf(platform().memory().free(reinterpret_cast<std::uint64_t>(pointer)), 0);
}

Status Usm::setAtomics(const void* pointer, std::uint32_t flags) {
    const auto known = find(pointer);
    if (!known || known->type != ZE_MEMORY_TYPE_SHARED)
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "{} is in no shared allocation of this context", pointer);
    allocations_.write([&](auto& all) {
        if (const auto found = all.find(known->begin); found != all.end()) found->second.atomics = flags;
    });
    return ZE_RESULT_SUCCESS;
}

std::optional<UsmAllocation> Usm::find(const void* pointer) const {
    const auto address = reinterpret_cast<std::uint64_t>(pointer);
    return allocations_.read([&](const auto& all) -> std::optional<UsmAllocation> {
        auto after = all.upper_bound(address);
        if (after == all.begin()) return std::nullopt;
        const UsmAllocation& candidate = std::prev(after)->second;
        if (address - candidate.begin >= candidate.bytes) return std::nullopt;
        return candidate;
    });
}

}  // namespace zetl::emulator::driver
