// Entry points of zeContext...
#include "driver/holder.h"
#include "emulator/driver/device/device.h"
#include "emulator/driver/device/driver.h"
#include "emulator/driver/entry/tables.h"
#include "emulator/driver/memory/context.h"
#include "emulator/driver/memory/placed_memory.h"
#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::driver {
namespace {

ze_result_t createFor(const char* function, ze_driver_handle_t driver, const ze_context_desc_t* description,
                      std::uint32_t deviceCount, ze_device_handle_t* devices, ze_context_handle_t* out) noexcept {
    return onObject<Driver, ZE_RESULT_ERROR_INVALID_SIZE>(function, driver, {description, out}, [&](Driver&) -> Status {
        auto context = Context::create(*description, deviceCount, devices);
        if (!context) return context.code();
        *out = live<Context>().add(*std::move(context));
        return ZE_RESULT_SUCCESS;
    });
}

ze_result_t ZE_APICALL create(ze_driver_handle_t driver, const ze_context_desc_t* description,
                              ze_context_handle_t* out) noexcept {
    return createFor("zeContextCreate", driver, description, 0, nullptr, out);
}

ze_result_t ZE_APICALL createEx(ze_driver_handle_t driver, const ze_context_desc_t* description,
                                std::uint32_t deviceCount, ze_device_handle_t* devices,
                                ze_context_handle_t* out) noexcept {
    return createFor("zeContextCreateEx", driver, description, deviceCount, devices, out);
}

ze_result_t ZE_APICALL destroy(ze_context_handle_t context) noexcept {
    return onRemoval<Context>("zeContextDestroy", context, [](Context&) { return ZE_RESULT_SUCCESS; });
}

ze_result_t ZE_APICALL getStatus(ze_context_handle_t context) noexcept {
    return onObject<Context>("zeContextGetStatus", context, {}, [](Context&) { return ZE_RESULT_SUCCESS; });
}

/// Host and device share one coherent memory: there is nothing to flush.
ze_result_t ZE_APICALL systemBarrier(ze_context_handle_t context, ze_device_handle_t device) noexcept {
    return onObject<Context>("zeContextSystemBarrier", context, {},
                             [&](Context&) { return find<Device>(device).code(); });
}

/// All memory is always resident, but the range must still be in an allocation of the caller.
ze_result_t residency(const char* function, ze_context_handle_t context, ze_device_handle_t device, void* pointer,
                      std::size_t size) noexcept {
    return onObject<Context, ZE_RESULT_ERROR_INVALID_SIZE>(function, context, {}, [&](Context& object) -> Status {
        if (const auto found = find<Device>(device); !found) return found.code();
        if (!pointer) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
        if (size == 0) return ZE_RESULT_ERROR_INVALID_SIZE;
        if (holderOf(object, pointer) || placedAt(pointer)) return ZE_RESULT_SUCCESS;
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "{} is in no allocation", pointer);
    });
}

ze_result_t ZE_APICALL makeMemoryResident(ze_context_handle_t context, ze_device_handle_t device, void* pointer,
                                          std::size_t size) noexcept {
    return residency("zeContextMakeMemoryResident", context, device, pointer, size);
}

ze_result_t ZE_APICALL evictMemory(ze_context_handle_t context, ze_device_handle_t device, void* pointer,
                                   std::size_t size) noexcept {
    return residency("zeContextEvictMemory", context, device, pointer, size);
}

}  // namespace

Rows contextRows() noexcept {
    static const Served rows[] = {
        ZETL_SERVES(zeContextCreate, create),
        ZETL_SERVES(zeContextCreateEx, createEx),
        ZETL_SERVES(zeContextDestroy, destroy),
        ZETL_SERVES(zeContextGetStatus, getStatus),
        ZETL_SERVES(zeContextSystemBarrier, systemBarrier),
        ZETL_SERVES(zeContextMakeMemoryResident, makeMemoryResident),
        ZETL_SERVES(zeContextEvictMemory, evictMemory),
    };
    return rows;
}

}  // namespace zetl::emulator::driver
