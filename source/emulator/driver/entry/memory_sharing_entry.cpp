// Entry points of zeMem... (sharing between processes)
#include "emulator/driver/device/device.h"
#include "emulator/driver/entry/extension_functions.h"
#include "emulator/driver/entry/tables.h"
#include "emulator/driver/memory/context.h"
#include "emulator/driver/memory/ipc_handle.h"
#include "emulator/driver/memory/memory_sharing.h"
#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::driver {
namespace {

ze_result_t ZE_APICALL getIpcHandle(ze_context_handle_t context, const void* pointer,
                                    ze_ipc_mem_handle_t* handle) noexcept {
    return onObject<Context>("zeMemGetIpcHandle", context, {pointer, handle},
                             [&](Context& object) { return makeMemoryHandle(object, pointer, *handle); });
}

/// Every handle has the properties that a chained description can ask for (such as being sent as plain bytes).
ze_result_t ZE_APICALL getIpcHandleWithProperties(ze_context_handle_t context, const void* pointer, void*,
                                                  ze_ipc_mem_handle_t* handle) noexcept {
    return onObject<Context>("zeMemGetIpcHandleWithProperties", context, {pointer, handle},
                             [&](Context& object) { return makeMemoryHandle(object, pointer, *handle); });
}

ze_result_t ZE_APICALL putIpcHandle(ze_context_handle_t context, ze_ipc_mem_handle_t handle) noexcept {
    return onObject<Context>("zeMemPutIpcHandle", context, {}, [&](Context&) { return putMemoryHandle(handle); });
}

Status openFor(Context& context, ze_device_handle_t device, const ze_ipc_mem_handle_t& handle,
               ze_ipc_memory_flags_t flags, void** pointer) {
    constexpr ze_ipc_memory_flags_t kFlags = ZE_IPC_MEMORY_FLAG_BIAS_CACHED | ZE_IPC_MEMORY_FLAG_BIAS_UNCACHED;
    auto target = find<Device>(device);
    if (!target) return target.code();
    if (!pointer) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    if (flags & ~kFlags) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    const auto mapped = openMemoryHandle(context, *std::move(target), handle);
    if (!mapped) return mapped.code();
    *pointer = *mapped;
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL openIpc(ze_context_handle_t context, ze_device_handle_t device, ze_ipc_mem_handle_t handle,
                               ze_ipc_memory_flags_t flags, void** pointer) noexcept {
    return onObject<Context>("zeMemOpenIpcHandle", context, {},
                             [&](Context& object) { return openFor(object, device, handle, flags, pointer); });
}

// Intel's functions for allocations that need several handles. Here each allocation needs one, on any number of tiles.
ze_result_t ZE_APICALL getIpcHandles(ze_context_handle_t context, const void* pointer, std::uint32_t* count,
                                     ze_ipc_mem_handle_t* handles) noexcept {
    return onObject<Context>("zexMemGetIpcHandles", context, {pointer, count}, [&](Context& object) -> Status {
        ze_ipc_mem_handle_t made;
        if (const Status bad = makeMemoryHandle(object, pointer, made); bad != ZE_RESULT_SUCCESS) return bad;
        *count = 1;
        if (!handles) return putMemoryHandle(made);
        handles[0] = made;
        return ZE_RESULT_SUCCESS;
    });
}

ze_result_t ZE_APICALL openIpcHandles(ze_context_handle_t context, ze_device_handle_t device, std::uint32_t count,
                                      ze_ipc_mem_handle_t* handles, ze_ipc_memory_flags_t flags,
                                      void** pointer) noexcept {
    return onObject<Context>("zexMemOpenIpcHandles", context, {handles}, [&](Context& object) -> Status {
        if (count == 1) return openFor(object, device, handles[0], flags, pointer);
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "{} handles; every allocation has one", count);
    });
}

ze_result_t ZE_APICALL closeIpc(ze_context_handle_t context, const void* pointer) noexcept {
    return onObject<Context>("zeMemCloseIpcHandle", context, {pointer}, [&](Context& object) -> Status {
        const auto allocation = object.usm().find(pointer);
        void* begin = allocation ? reinterpret_cast<void*>(allocation->begin) : const_cast<void*>(pointer);
        return object.usm().closeImport(begin);
    });
}

/// The handle for a descriptor from getDescriptor(), in the process that made it.
ze_result_t ZE_APICALL handleFromDescriptor(ze_context_handle_t context, std::uint64_t descriptor,
                                            ze_ipc_mem_handle_t* handle) noexcept {
    return onObject<Context>("zeMemGetIpcHandleFromFileDescriptorExp", context, {handle}, [&](Context&) -> Status {
        const auto bytes = descriptorBytes(static_cast<int>(descriptor));
        if (!bytes) return bytes.code();
        IpcHandle made = makeIpcHandle(IpcHandle::Kind::memory, static_cast<int>(descriptor));
        made.flags = ZE_MEMORY_TYPE_DEVICE;
        made.bytes = *bytes;
        writeIpcHandle(made, *handle);
        return ZE_RESULT_SUCCESS;
    });
}

ze_result_t ZE_APICALL getDescriptor(ze_context_handle_t context, ze_ipc_mem_handle_t handle,
                                     std::uint64_t* descriptor) noexcept {
    return onObject<Context>("zeMemGetFileDescriptorFromIpcHandleExp", context, {descriptor}, [&](Context&) -> Status {
        const auto known = readIpcHandle(IpcHandle::Kind::memory, &handle);
        if (!known) return known.code();
        *descriptor = static_cast<std::uint64_t>(known->descriptor);
        return ZE_RESULT_SUCCESS;
    });
}

}  // namespace

Rows memorySharingRows() noexcept {
    static const Served rows[] = {
        ZETL_SERVES(zeMemGetIpcHandle, getIpcHandle),
        ZETL_SERVES(zeMemGetIpcHandleWithProperties, getIpcHandleWithProperties),
        ZETL_SERVES(zeMemPutIpcHandle, putIpcHandle),
        ZETL_SERVES(zeMemOpenIpcHandle, openIpc),
        ZETL_SERVES(zeMemCloseIpcHandle, closeIpc),
        ZETL_SERVES(zeMemGetIpcHandleFromFileDescriptorExp, handleFromDescriptor),
        ZETL_SERVES(zeMemGetFileDescriptorFromIpcHandleExp, getDescriptor),
    };
    return rows;
}

std::span<const NamedFunction> memorySharingExtensions() noexcept {
    static const NamedFunction functions[] = {{"zexMemGetIpcHandles", entryOf(getIpcHandles)},
                                              {"zexMemOpenIpcHandles", entryOf(openIpcHandles)}};
    return functions;
}

}  // namespace zetl::emulator::driver
