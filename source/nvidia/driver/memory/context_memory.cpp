// The functions of a context that allocate, describe and share memory.
#include <cstring>

#include "driver/holder.h"
#include "nvidia/cuda/api.h"
#include "nvidia/cuda/current.h"
#include "nvidia/cuda/result.h"
#include "nvidia/driver/device/context.h"

namespace zetl::nvidia {
namespace {

constexpr std::uint64_t kDevicePageBytes = 2 << 20;
constexpr std::uint64_t kHostPageBytes = 4096;

std::uint64_t pageBytes(const UsmAllocation& allocation) noexcept {
    return allocation.type == ZE_MEMORY_TYPE_DEVICE ? kDevicePageBytes : kHostPageBytes;
}

Status notAllocated(const void* pointer) {
    return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "{} is in no live allocation", pointer);
}

/// A descriptor's chain may allow more than maxMemAllocSize, which changes nothing, and may ask for memory that is
/// shared by file descriptor, which is not offered.
Status checkChain(const void* description, ze_structure_type_t type) {
    Status status = ZE_RESULT_SUCCESS;
    forEachLink(description, type, [&](const ChainLink& link) {
        if (link.stype == ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_EXPORT_DESC ||
            link.stype == ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMPORT_FD)
            status = refuse(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE,
                            "memory is not shared by file descriptor; use zeMemGetIpcHandle");
        return link.stype == ZE_STRUCTURE_TYPE_RELAXED_ALLOCATION_LIMITS_EXP_DESC || status != ZE_RESULT_SUCCESS;
    });
    return status;
}

}  // namespace

Result<void*> Context::allocDevice(const ze_device_mem_alloc_desc_t& description, std::size_t size,
                                   std::size_t alignment, const Device& device) {
    const auto place = member(device);
    if (!place) return place.code();
    if (const Status bad = checkChain(&description, ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC); bad != ZE_RESULT_SUCCESS)
        return bad;
    return usm_.allocate({ZE_MEMORY_TYPE_DEVICE, size, alignment, place->device, place->work->context});
}

Result<void*> Context::allocHost(const ze_host_mem_alloc_desc_t& description, std::size_t size, std::size_t alignment) {
    if (const Status bad = checkChain(&description, ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC); bad != ZE_RESULT_SUCCESS)
        return bad;
    return usm_.allocate({ZE_MEMORY_TYPE_HOST, size, alignment, nullptr, nullptr});
}

Result<void*> Context::allocShared(const ze_device_mem_alloc_desc_t& onDevice, const ze_host_mem_alloc_desc_t&,
                                   std::size_t size, std::size_t alignment, Device* device) {
    std::shared_ptr<Device> preferred;
    if (device) {
        auto place = member(*device);
        if (!place) return place.code();
        preferred = std::move(place->device);
    }
    if (const Status bad = checkChain(&onDevice, ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC); bad != ZE_RESULT_SUCCESS)
        return bad;
    return usm_.allocate({ZE_MEMORY_TYPE_SHARED, size, alignment, std::move(preferred), nullptr});
}

Status Context::freeMemory(void* pointer) {
    const auto holder = driver::holderOf(*this, pointer);
    return (holder ? holder->usm_ : usm_).free(pointer);
}

/// cuMemFree waits for what the device has to do, so that both policies are met by it.
Status Context::freeExt(const ze_memory_free_ext_desc_t* description, void* pointer) {
    constexpr ze_driver_memory_free_policy_ext_flags_t kPolicies =
        ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_BLOCKING_FREE | ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_DEFER_FREE;
    if (description->freePolicy & ~kPolicies) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    return freeMemory(pointer);
}

Status Context::getAllocProperties(const void* pointer, ze_memory_allocation_properties_t* out,
                                   ze_device_handle_t* device) {
    const auto holder = driver::holderOf(*this, pointer);
    const auto allocation = holder ? holder->usm_.find(pointer) : std::nullopt;
    if (const auto mapped = allocation ? std::nullopt : virtual_.find(pointer)) {
        out->type = ZE_MEMORY_TYPE_DEVICE;
        out->id = mapped->id;
        out->pageSize = kDevicePageBytes;
        if (device) *device = mapped->device->handle();
        return ZE_RESULT_SUCCESS;
    }
    out->type = allocation ? allocation->type : ZE_MEMORY_TYPE_UNKNOWN;
    out->id = allocation ? allocation->id : 0;
    out->pageSize = allocation ? pageBytes(*allocation) : 0;
    if (device) *device = allocation && allocation->device ? allocation->device->handle() : nullptr;
    return ZE_RESULT_SUCCESS;
}

Status Context::getAddressRange(const void* pointer, void** base, std::size_t* size) {
    const auto holder = driver::holderOf(*this, pointer);
    const auto allocation = holder ? holder->usm_.find(pointer) : std::nullopt;
    if (!allocation) return notAllocated(pointer);
    if (base) *base = reinterpret_cast<void*>(allocation->begin);
    if (size) *size = allocation->bytes;
    return ZE_RESULT_SUCCESS;
}

Status Context::inSomeAllocation(const Device& device, void* pointer, std::size_t size) {
    if (const auto place = member(device); !place) return place.code();
    if (size == 0) return ZE_RESULT_ERROR_INVALID_SIZE;
    return usm_.find(pointer) ? ZE_RESULT_SUCCESS : notAllocated(pointer);
}

static_assert(sizeof(CUipcMemHandle) <= sizeof(ze_ipc_mem_handle_t));

Status Context::getIpcHandle(const void* pointer, ze_ipc_mem_handle_t* out) {
    const auto allocation = usm_.find(pointer);
    if (!allocation) return notAllocated(pointer);
    if (allocation->type != ZE_MEMORY_TYPE_DEVICE || allocation->block != reinterpret_cast<std::uint64_t>(pointer))
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                      "{} is not the beginning of device memory (alignment up to 256); CUDA shares nothing else",
                      pointer);
    const Current current(first().work->context);
    CUipcMemHandle handle;
    if (const Status bad = ZETL_CUDA(cuIpcGetMemHandle(&handle, allocation->block)); bad != ZE_RESULT_SUCCESS)
        return bad;
    std::memset(out, 0, sizeof *out);
    std::memcpy(out, &handle, sizeof handle);
    return ZE_RESULT_SUCCESS;
}

/// A handle holds nothing that could be given back.
Status Context::putIpcHandle(ze_ipc_mem_handle_t) { return ZE_RESULT_SUCCESS; }

Result<void*> Context::openIpcHandle(const Device& device, const ze_ipc_mem_handle_t& handle,
                                     ze_ipc_memory_flags_t flags) {
    constexpr ze_ipc_memory_flags_t kFlags = ZE_IPC_MEMORY_FLAG_BIAS_CACHED | ZE_IPC_MEMORY_FLAG_BIAS_UNCACHED;
    const auto place = member(device);
    if (!place) return place.code();
    if (flags & ~kFlags) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    CUipcMemHandle bytes;
    std::memcpy(&bytes, &handle, sizeof bytes);
    return usm_.import(bytes, {ZE_MEMORY_TYPE_DEVICE, 0, 0, place->device, place->work->context});
}

Status Context::closeIpcHandle(const void* pointer) { return usm_.closeImport(pointer); }

Result<std::size_t> Context::queryPageSize(const Device& device, std::size_t) const {
    const auto place = member(device);
    return place ? VirtualMemory::pageBytes(place->work->device) : place.code();
}

}  // namespace zetl::nvidia
