#include "emulator/driver/memory/context_memory.h"

#include "driver/holder.h"
#include "emulator/driver/device/device.h"
#include "emulator/driver/device/in_flight.h"
#include "emulator/driver/memory/context.h"
#include "emulator/driver/memory/memory_sharing.h"
#include "emulator/driver/memory/placed_memory.h"
#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::driver {
namespace {

constexpr std::uint64_t kPageBytes = 4096;

constexpr std::uint32_t kWriteCombined = 0x00050004;  // of Intel's driver: a hint

/// What the chain of an allocation descriptor asks for.
Status readChain(const void* description, ze_structure_type_t type, UsmRequest& request) {
    const Status bad = refuseOthers(
        description, type,
        {ZE_STRUCTURE_TYPE_RELAXED_ALLOCATION_LIMITS_EXP_DESC, ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_EXPORT_DESC,
         ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMPORT_FD, ZE_STRUCTURE_TYPE_MEMORY_COMPRESSION_HINTS_EXT_DESC,
         ZE_STRUCTURE_TYPE_RAYTRACING_MEM_ALLOC_EXT_DESC, kWriteCombined, kIpcHandleTypes},
        ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION);
    if (bad != ZE_RESULT_SUCCESS) return bad;
    request.exported =
        findInChain<ze_external_memory_export_desc_t>(description, type, ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_EXPORT_DESC);
    const auto* relaxed = findInChain<ze_relaxed_allocation_limits_exp_desc_t>(
        description, type, ZE_STRUCTURE_TYPE_RELAXED_ALLOCATION_LIMITS_EXP_DESC);
    if (relaxed && !(relaxed->flags & ZE_RELAXED_ALLOCATION_LIMITS_EXP_FLAG_MAX_SIZE))
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                      "relaxed limits with flags {:#x}, which relax none; set "
                      "ZE_RELAXED_ALLOCATION_LIMITS_EXP_FLAG_MAX_SIZE",
                      relaxed->flags);
    request.relaxedLimit = relaxed != nullptr;
    const auto imported = importedDescriptor(description, type);
    if (!imported) return imported.code();
    request.descriptor = *imported;
    return ZE_RESULT_SUCCESS;
}

constexpr ze_device_mem_alloc_flags_t kDeviceFlags = ZE_DEVICE_MEM_ALLOC_FLAG_BIAS_CACHED |
                                                     ZE_DEVICE_MEM_ALLOC_FLAG_BIAS_UNCACHED |
                                                     ZE_DEVICE_MEM_ALLOC_FLAG_BIAS_INITIAL_PLACEMENT;
constexpr ze_host_mem_alloc_flags_t kHostFlags =
    ZE_HOST_MEM_ALLOC_FLAG_BIAS_CACHED | ZE_HOST_MEM_ALLOC_FLAG_BIAS_UNCACHED |
    ZE_HOST_MEM_ALLOC_FLAG_BIAS_WRITE_COMBINED | ZE_HOST_MEM_ALLOC_FLAG_BIAS_INITIAL_PLACEMENT;

/// Both kinds of flags are hints; all flags that the specification defines are accepted.
Status checkFlags(std::uint32_t given, std::uint32_t known) noexcept {
    return given & ~known ? ZE_RESULT_ERROR_INVALID_ENUMERATION : ZE_RESULT_SUCCESS;
}

/// Sets the device of a request, which may be null.
Status setDevice(Context& context, std::shared_ptr<Device> device, UsmRequest& request) {
    if (device && !context.holds(*device))
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the device is not one of those the context was created for");
    request.device = std::move(device);
    return ZE_RESULT_SUCCESS;
}

Status freeIn(Context& context, void* pointer, Usm::Freeing when) {
    const auto holder = holderOf(context, pointer);
    return (holder ? holder->usm() : context.usm()).free(pointer, when);
}

/// The allocation that contains the pointer, in any context.
std::optional<UsmAllocation> allocationAt(Context& context, const void* pointer) {
    const auto holder = holderOf(context, pointer);
    return holder ? holder->usm().find(pointer) : std::nullopt;
}

void fill(const std::optional<UsmAllocation>& allocation, ze_memory_allocation_properties_t& out) {
    out.type = allocation ? allocation->type : ZE_MEMORY_TYPE_UNKNOWN;
    out.id = allocation ? allocation->id : 0;
    out.pageSize = allocation ? kPageBytes : 0;
}
/// Intel's run times take physical memory in a range for an allocation, and so they do with a module's variables:
/// oneDNN refuses memory of no type.
void fill(const PlacedMemory& placed, ze_memory_allocation_properties_t& out) {
    out.type = placed.device ? ZE_MEMORY_TYPE_DEVICE : ZE_MEMORY_TYPE_HOST;
    out.id = placed.id;
    out.pageSize = machine::Memory::pageBytes();
}

}  // namespace

Result<void*> allocateOnDevice(Context& context, const ze_device_mem_alloc_desc_t& description, std::size_t size,
                               std::size_t alignment, std::shared_ptr<Device> device) {
    UsmRequest request{ZE_MEMORY_TYPE_DEVICE, size, alignment, nullptr, false, std::nullopt};
    if (const Status bad = setDevice(context, std::move(device), request); bad != ZE_RESULT_SUCCESS) return bad;
    if (const Status bad = checkFlags(description.flags, kDeviceFlags); bad != ZE_RESULT_SUCCESS) return bad;
    const Status bad = readChain(&description, ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC, request);
    return bad == ZE_RESULT_SUCCESS ? context.usm().allocate(request) : bad;
}

Result<void*> allocateOnHost(Context& context, const ze_host_mem_alloc_desc_t& description, std::size_t size,
                             std::size_t alignment) {
    UsmRequest request{ZE_MEMORY_TYPE_HOST, size, alignment, nullptr, false, std::nullopt};
    if (const Status bad = checkFlags(description.flags, kHostFlags); bad != ZE_RESULT_SUCCESS) return bad;
    const Status bad = readChain(&description, ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC, request);
    return bad == ZE_RESULT_SUCCESS ? context.usm().allocate(request) : bad;
}

Result<void*> allocateShared(Context& context, const ze_device_mem_alloc_desc_t& onDevice,
                             const ze_host_mem_alloc_desc_t& onHost, std::size_t size, std::size_t alignment,
                             std::shared_ptr<Device> device) {
    UsmRequest request{ZE_MEMORY_TYPE_SHARED, size, alignment, nullptr, false, std::nullopt};
    if (const Status bad = setDevice(context, std::move(device), request); bad != ZE_RESULT_SUCCESS) return bad;
    for (const Status bad : {checkFlags(onDevice.flags, kDeviceFlags), checkFlags(onHost.flags, kHostFlags)})
        if (bad != ZE_RESULT_SUCCESS) return bad;
    const Status bad = readChain(&onDevice, ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC, request);
    return bad == ZE_RESULT_SUCCESS ? context.usm().allocate(request) : bad;
}

Status freeMemory(Context& context, void* pointer) { return freeIn(context, pointer, Usm::Freeing::now); }

Status freeMemoryExt(Context& context, const ze_memory_free_ext_desc_t& description, void* pointer) {
    constexpr ze_driver_memory_free_policy_ext_flags_t kPolicies =
        ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_BLOCKING_FREE | ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_DEFER_FREE;
    if (description.freePolicy & ~kPolicies) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    const bool policy = description.freePolicy != 0;
    const Status status = freeIn(context, pointer, policy ? Usm::Freeing::afterWork : Usm::Freeing::now);
    const bool blocks = description.freePolicy & ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_BLOCKING_FREE;
    if (status == ZE_RESULT_SUCCESS && blocks) InFlight::instance().wait();
    return status;
}

Status setFreeCallback(Context& context, const void* pointer, const FreeCallback& callback) {
    const auto holder = holderOf(context, pointer);
    return (holder ? holder->usm() : context.usm()).setFreeCallback(pointer, callback);
}

Status checkResident(Context& context, void* pointer, std::size_t size) {
    if (size == 0) return ZE_RESULT_ERROR_INVALID_SIZE;
    if (holderOf(context, pointer) || placedAt(pointer)) return ZE_RESULT_SUCCESS;
    return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "{} is in no allocation", pointer);
}

Status describeAllocation(Context& context, const void* pointer, ze_memory_allocation_properties_t& out,
                          ze_device_handle_t* device) {
    const auto allocation = allocationAt(context, pointer);
    const auto placed = allocation ? std::nullopt : placedAt(pointer);
    if (placed)
        fill(*placed, out);
    else
        fill(allocation, out);
    Device* owner = placed ? placed->device : allocation ? allocation->device.get() : nullptr;
    if (device) *device = owner ? owner->handle() : nullptr;
    Status status = ZE_RESULT_SUCCESS;
    forEachLink(&out, ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES,
                fillLink<ze_external_memory_export_fd_t>(ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_EXPORT_FD, [&](auto& more) {
                    status = exportDescriptor(context, pointer, more);
                }));
    return status;
}

Status addressRange(Context& context, const void* pointer, void** base, std::size_t* size) {
    const auto allocation = allocationAt(context, pointer);
    const auto placed = allocation ? std::nullopt : placedAt(pointer);
    if (!allocation && !placed)
        return refuseProbe(ZE_RESULT_ERROR_ADDRESS_NOT_FOUND,
                           "{} is in no live allocation; ask for an address that zeMemAlloc... returned", pointer);
    if (base) *base = reinterpret_cast<void*>(placed ? placed->begin : allocation->begin);
    if (size) *size = placed ? placed->bytes : allocation->bytes;
    return ZE_RESULT_SUCCESS;
}

Status setAtomicAccess(Context& context, const void* pointer, std::size_t, ze_memory_atomic_attr_exp_flags_t flags) {
    constexpr ze_memory_atomic_attr_exp_flags_t kFlags = 0x7f;
    if (flags & ~kFlags) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    const auto lacksHostAtomics = [](const auto& device) { return device->profile().hostAtomics == 0; };
    if ((flags & ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_HOST_ATOMICS) != 0 &&
        std::ranges::any_of(context.devices(), lacksHostAtomics))
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                      "flags {:#x} ask for host atomics, which the device lacks (hostAllocCapabilities); ask for "
                      "ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_DEVICE_ATOMICS",
                      flags);
    return context.usm().setAtomics(pointer, flags);
}

Result<ze_memory_atomic_attr_exp_flags_t> atomicAccess(Context& context, const void* pointer, std::size_t) {
    const auto allocation = context.usm().find(pointer);
    if (!allocation) return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "{} is in no allocation of this context", pointer);
    return ze_memory_atomic_attr_exp_flags_t{allocation->atomics};
}

}  // namespace zetl::emulator::driver
