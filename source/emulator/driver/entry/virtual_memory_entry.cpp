// Entry points of zeVirtualMem..., zePhysicalMem...
#include "emulator/driver/device/device.h"
#include "emulator/driver/entry/tables.h"
#include "emulator/driver/memory/context.h"
#include "emulator/driver/memory/memory_sharing.h"
#include "emulator/driver/memory/physical_memory.h"
#include "emulator/driver/memory/virtual_memory.h"
#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::driver {
namespace {

/// Like onObject(), for functions on ranges.
template <class F>
ze_result_t onRange(const char* function, ze_context_handle_t context, Required pointers, F&& body) noexcept {
    return onObject<Context, ZE_RESULT_ERROR_UNSUPPORTED_SIZE, ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT,
                    ZE_RESULT_ERROR_INVALID_SIZE>(function, context, pointers, [&](Context&) { return body(); });
}

ze_result_t ZE_APICALL reserve(ze_context_handle_t context, const void* wanted, std::size_t size, void** out) noexcept {
    return onRange("zeVirtualMemReserve", context, {out}, [&]() -> Status {
        const auto range = reserveRange(wanted, size);
        if (!range) return range.code();
        *out = *range;
        return ZE_RESULT_SUCCESS;
    });
}

ze_result_t ZE_APICALL release(ze_context_handle_t context, const void* pointer, std::size_t size) noexcept {
    return onRange("zeVirtualMemFree", context, {pointer}, [&] { return releaseRange(pointer, size); });
}

/// There is one page size, also for a size of 0: the specification has UNSUPPORTED_SIZE for that, but Intel's driver
/// returns a page size, and programs (the conformance suite among them) rely on it.
ze_result_t ZE_APICALL queryPageSize(ze_context_handle_t context, ze_device_handle_t device, std::size_t,
                                     std::size_t* out) noexcept {
    return onRange("zeVirtualMemQueryPageSize", context, {}, [&]() -> Status {
        if (const auto target = find<Device>(device); !target) return target.code();
        if (!out) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
        *out = machine::Memory::pageBytes();
        return ZE_RESULT_SUCCESS;
    });
}

ze_result_t ZE_APICALL map(ze_context_handle_t context, const void* pointer, std::size_t size,
                           ze_physical_mem_handle_t physical, std::size_t offset,
                           ze_memory_access_attribute_t access) noexcept {
    return onRange("zeVirtualMemMap", context, {}, [&]() -> Status {
        const auto pages = find<PhysicalMemory>(physical);
        if (!pages) return pages.code();
        if (!pointer) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
        return mapRange(pointer, size, **pages, offset, access);
    });
}

ze_result_t ZE_APICALL unmap(ze_context_handle_t context, const void* pointer, std::size_t size) noexcept {
    return onRange("zeVirtualMemUnmap", context, {pointer}, [&] { return unmapRange(pointer, size); });
}

ze_result_t ZE_APICALL setAccess(ze_context_handle_t context, const void* pointer, std::size_t size,
                                 ze_memory_access_attribute_t access) noexcept {
    return onRange("zeVirtualMemSetAccessAttribute", context, {pointer},
                   [&] { return setRangeAccess(pointer, size, access); });
}

ze_result_t ZE_APICALL getAccess(ze_context_handle_t context, const void* pointer, std::size_t size,
                                 ze_memory_access_attribute_t* access, std::size_t* outSize) noexcept {
    return onRange("zeVirtualMemGetAccessAttribute", context, {pointer, access, outSize}, [&]() -> Status {
        const auto found = rangeAccess(pointer, size);
        if (!found) return found.code();
        *access = found->access;
        *outSize = found->bytes;
        return ZE_RESULT_SUCCESS;
    });
}

ze_result_t ZE_APICALL createPhysical(ze_context_handle_t context, ze_device_handle_t device,
                                      ze_physical_mem_desc_t* description, ze_physical_mem_handle_t* out) noexcept {
    return onRange("zePhysicalMemCreate", context, {}, [&]() -> Status {
        std::shared_ptr<Device> target;
        if (device) {
            auto found = find<Device>(device);
            if (!found) return found.code();
            target = *std::move(found);
        }
        if (!description || !out) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
        auto pages = PhysicalMemory::create(target.get(), *description);
        if (!pages) return pages.code();
        *out = live<PhysicalMemory>().add(*std::move(pages));
        return ZE_RESULT_SUCCESS;
    });
}

ze_result_t ZE_APICALL getPhysicalProperties(ze_context_handle_t context, ze_physical_mem_handle_t physical,
                                             ze_physical_mem_properties_t* out) noexcept {
    return onObject<Context>("zePhysicalMemGetProperties", context, {}, [&](Context& object) -> Status {
        const auto memory = find<PhysicalMemory>(physical);
        if (!memory) return memory.code();
        if (!out) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
        out->id = (*memory)->id();
        out->size = (*memory)->pages()->bytes();
        Status status = ZE_RESULT_SUCCESS;
        forEachLink(
            out, ZE_STRUCTURE_TYPE_PHYSICAL_MEM_PROPERTIES,
            fillLink<ze_external_memory_export_fd_t>(ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_EXPORT_FD, [&](auto& more) {
                status = exportDescriptor(object, physical, more);
            }));
        return status;
    });
}

ze_result_t ZE_APICALL destroyPhysical(ze_context_handle_t context, ze_physical_mem_handle_t physical) noexcept {
    return onRange("zePhysicalMemDestroy", context, {}, [&]() -> Status {
        if (const auto pages = find<PhysicalMemory>(physical); !pages) return pages.code();
        live<PhysicalMemory>().remove(physical);
        return ZE_RESULT_SUCCESS;
    });
}

}  // namespace

Rows virtualMemoryRows() noexcept {
    static const Served rows[] = {
        ZETL_SERVES(zeVirtualMemReserve, reserve),
        ZETL_SERVES(zeVirtualMemFree, release),
        ZETL_SERVES(zeVirtualMemQueryPageSize, queryPageSize),
        ZETL_SERVES(zeVirtualMemMap, map),
        ZETL_SERVES(zeVirtualMemUnmap, unmap),
        ZETL_SERVES(zeVirtualMemSetAccessAttribute, setAccess),
        ZETL_SERVES(zeVirtualMemGetAccessAttribute, getAccess),
        ZETL_SERVES(zePhysicalMemCreate, createPhysical),
        ZETL_SERVES(zePhysicalMemDestroy, destroyPhysical),
        ZETL_SERVES(zePhysicalMemGetProperties, getPhysicalProperties),
    };
    return rows;
}

}  // namespace zetl::emulator::driver
