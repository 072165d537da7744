// Entry points of zeMem... (allocation and properties)
#include "driver/holder.h"
#include "emulator/driver/device/device.h"
#include "emulator/driver/device/in_flight.h"
#include "emulator/driver/entry/extension_functions.h"
#include "emulator/driver/entry/tables.h"
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

template <class F>
ze_result_t allocating(const char* function, ze_context_handle_t context, void** out, UsmRequest request,
                       F&& complete) noexcept {
    return onObject<Context, ZE_RESULT_ERROR_UNSUPPORTED_SIZE, ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT>(
        function, context, {out}, [&](Context& object) -> Status {
            if (const Status bad = complete(object, request); bad != ZE_RESULT_SUCCESS) return bad;
            const auto memory = object.usm().allocate(request);
            if (!memory) return memory.code();
            *out = *memory;
            return ZE_RESULT_SUCCESS;
        });
}

/// Looks up the device of a request; `device` may be null if `optional`.
Status setDevice(Context& context, ze_device_handle_t device, bool optional, UsmRequest& request) {
    if (!device && optional) return ZE_RESULT_SUCCESS;
    auto found = find<Device>(device);
    if (!found) return found.code();
    if (!context.holds(**found))
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the device is not one of those the context was created for");
    request.device = *std::move(found);
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL allocDevice(ze_context_handle_t context, const ze_device_mem_alloc_desc_t* description,
                                   std::size_t size, std::size_t alignment, ze_device_handle_t device,
                                   void** out) noexcept {
    UsmRequest request{ZE_MEMORY_TYPE_DEVICE, size, alignment, nullptr, false, std::nullopt};
    return allocating("zeMemAllocDevice", context, out, request, [&](Context& object, UsmRequest& wanted) -> Status {
        if (const Status bad = setDevice(object, device, false, wanted); bad != ZE_RESULT_SUCCESS) return bad;
        if (!description) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
        if (const Status bad = checkFlags(description->flags, kDeviceFlags); bad != ZE_RESULT_SUCCESS) return bad;
        return readChain(description, ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC, wanted);
    });
}

ze_result_t ZE_APICALL allocHost(ze_context_handle_t context, const ze_host_mem_alloc_desc_t* description,
                                 std::size_t size, std::size_t alignment, void** out) noexcept {
    UsmRequest request{ZE_MEMORY_TYPE_HOST, size, alignment, nullptr, false, std::nullopt};
    return allocating("zeMemAllocHost", context, out, request, [&](Context&, UsmRequest& wanted) -> Status {
        if (!description) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
        if (const Status bad = checkFlags(description->flags, kHostFlags); bad != ZE_RESULT_SUCCESS) return bad;
        return readChain(description, ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC, wanted);
    });
}

ze_result_t ZE_APICALL allocShared(ze_context_handle_t context, const ze_device_mem_alloc_desc_t* deviceDescription,
                                   const ze_host_mem_alloc_desc_t* hostDescription, std::size_t size,
                                   std::size_t alignment, ze_device_handle_t device, void** out) noexcept {
    UsmRequest request{ZE_MEMORY_TYPE_SHARED, size, alignment, nullptr, false, std::nullopt};
    return allocating("zeMemAllocShared", context, out, request, [&](Context& object, UsmRequest& wanted) -> Status {
        if (const Status bad = setDevice(object, device, true, wanted); bad != ZE_RESULT_SUCCESS) return bad;
        if (!deviceDescription || !hostDescription) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
        for (const Status bad :
             {checkFlags(deviceDescription->flags, kDeviceFlags), checkFlags(hostDescription->flags, kHostFlags)})
            if (bad != ZE_RESULT_SUCCESS) return bad;
        return readChain(deviceDescription, ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC, wanted);
    });
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

ze_result_t ZE_APICALL freeMemory(ze_context_handle_t context, void* pointer) noexcept {
    return onObject<Context>("zeMemFree", context, {pointer},
                             [&](Context& object) { return freeIn(object, pointer, Usm::Freeing::now); });
}

ze_result_t ZE_APICALL freeExt(ze_context_handle_t context, const ze_memory_free_ext_desc_t* description,
                               void* pointer) noexcept {
    constexpr ze_driver_memory_free_policy_ext_flags_t kPolicies =
        ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_BLOCKING_FREE | ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_DEFER_FREE;
    return onObject<Context>("zeMemFreeExt", context, {description, pointer}, [&](Context& object) -> Status {
        if (description->freePolicy & ~kPolicies) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
        const bool policy = description->freePolicy != 0;
        const Status status = freeIn(object, pointer, policy ? Usm::Freeing::afterWork : Usm::Freeing::now);
        const bool blocks = description->freePolicy & ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_BLOCKING_FREE;
        if (status == ZE_RESULT_SUCCESS && blocks) InFlight::instance().wait();
        return status;
    });
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

ze_result_t ZE_APICALL getAllocProperties(ze_context_handle_t context, const void* pointer,
                                          ze_memory_allocation_properties_t* out, ze_device_handle_t* device) noexcept {
    return onObject<Context>("zeMemGetAllocProperties", context, {pointer, out}, [&](Context& object) -> Status {
        const auto allocation = allocationAt(object, pointer);
        const auto placed = allocation ? std::nullopt : placedAt(pointer);
        if (placed)
            fill(*placed, *out);
        else
            fill(allocation, *out);
        Device* owner = placed ? placed->device : allocation ? allocation->device.get() : nullptr;
        if (device) *device = owner ? owner->handle() : nullptr;
        Status status = ZE_RESULT_SUCCESS;
        forEachLink(
            out, ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES,
            fillLink<ze_external_memory_export_fd_t>(ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_EXPORT_FD, [&](auto& more) {
                status = exportDescriptor(object, pointer, more);
            }));
        return status;
    });
}

ze_result_t ZE_APICALL getAddressRange(ze_context_handle_t context, const void* pointer, void** base,
                                       std::size_t* size) noexcept {
    return onObject<Context, ZE_RESULT_ERROR_ADDRESS_NOT_FOUND>(
        "zeMemGetAddressRange", context, {pointer}, [&](Context& object) -> Status {
            const auto allocation = allocationAt(object, pointer);
            const auto placed = allocation ? std::nullopt : placedAt(pointer);
            if (!allocation && !placed)
                return refuseProbe(ZE_RESULT_ERROR_ADDRESS_NOT_FOUND,
                                   "{} is in no live allocation; ask for an address that zeMemAlloc... returned",
                                   pointer);
            if (base) *base = reinterpret_cast<void*>(placed ? placed->begin : allocation->begin);
            if (size) *size = placed ? placed->bytes : allocation->bytes;
            return ZE_RESULT_SUCCESS;
        });
}

ze_result_t ZE_APICALL setAtomicAccess(ze_context_handle_t context, ze_device_handle_t device, const void* pointer,
                                       std::size_t, ze_memory_atomic_attr_exp_flags_t flags) noexcept {
    constexpr ze_memory_atomic_attr_exp_flags_t kFlags = 0x7f;
    return onObject<Context>("zeMemSetAtomicAccessAttributeExp", context, {}, [&](Context& object) -> Status {
        if (const auto target = find<Device>(device); !target) return target.code();
        if (!pointer) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
        if (flags & ~kFlags) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
        if (flags & ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_HOST_ATOMICS)
            return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                          "flags {:#x} ask for host atomics, which the device lacks (hostAllocCapabilities); ask for "
                          "ZE_MEMORY_ATOMIC_ATTR_EXP_FLAG_DEVICE_ATOMICS",
                          flags);
        return object.usm().setAtomics(pointer, flags);
    });
}

ze_result_t ZE_APICALL getAtomicAccess(ze_context_handle_t context, ze_device_handle_t device, const void* pointer,
                                       std::size_t, ze_memory_atomic_attr_exp_flags_t* flags) noexcept {
    return onObject<Context>("zeMemGetAtomicAccessAttributeExp", context, {}, [&](Context& object) -> Status {
        if (const auto target = find<Device>(device); !target) return target.code();
        if (!pointer || !flags) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
        const auto allocation = object.usm().find(pointer);
        if (!allocation)
            return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "{} is in no allocation of this context", pointer);
        *flags = allocation->atomics;
        return ZE_RESULT_SUCCESS;
    });
}

// zex_memory_free_callback_ext_desc_t of Intel's driver.
struct FreeCallbackDescription {
    std::uint32_t stype;
    const void* pNext;
    void (*pfnCallback)(void*);
    void* pUserData;
};

/// Something missing is an INVALID_ARGUMENT, as with Intel's driver.
ze_result_t ZE_APICALL registerFreeCallback(ze_context_handle_t context, FreeCallbackDescription* description,
                                            void* pointer) noexcept {
    return boundary("zexMemFreeRegisterCallbackExt", [&]() -> Status {
        const auto object = find<Context>(context);
        if (!object || !description || !pointer || !description->pfnCallback) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
        const auto holder = holderOf(**object, pointer);
        return (holder ? holder->usm() : (*object)->usm())
            .setFreeCallback(pointer, {description->pfnCallback, description->pUserData});
    });
}

}  // namespace

std::span<const NamedFunction> memoryExtensions() noexcept {
    static const NamedFunction functions[] = {{"zexMemFreeRegisterCallbackExt", entryOf(registerFreeCallback)}};
    return functions;
}

Rows memoryRows() noexcept {
    static const Served rows[] = {
        ZETL_SERVES(zeMemAllocDevice, allocDevice),
        ZETL_SERVES(zeMemAllocHost, allocHost),
        ZETL_SERVES(zeMemAllocShared, allocShared),
        ZETL_SERVES(zeMemFree, freeMemory),
        ZETL_SERVES(zeMemFreeExt, freeExt),
        ZETL_SERVES(zeMemGetAllocProperties, getAllocProperties),
        ZETL_SERVES(zeMemGetAddressRange, getAddressRange),
        ZETL_SERVES(zeMemSetAtomicAccessAttributeExp, setAtomicAccess),
        ZETL_SERVES(zeMemGetAtomicAccessAttributeExp, getAtomicAccess),
    };
    return rows;
}

}  // namespace zetl::emulator::driver
