#include "emulator/driver/memory_sharing.h"

#include <cstring>
#include <set>

#include "emulator/driver/context.h"
#include "emulator/driver/ipc_handle.h"
#include "emulator/driver/platform.h"
#include "emulator/driver/refusal.h"

namespace zetl::emulator::driver {
namespace {

/// The open descriptors of handles that were made here and not put back.
Synchronized<std::set<int>>& madeHandles() {
    static auto* const descriptors = new Synchronized<std::set<int>>;
    return *descriptors;
}

}  // namespace

Status exportDescriptor(const std::optional<UsmAllocation>& allocation, ze_external_memory_export_fd_t& out) {
    if (!allocation)
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "there is no allocation to export at that address");
    if (out.flags != ZE_EXTERNAL_MEMORY_TYPE_FLAG_OPAQUE_FD)
        return refuse(ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION,
                      "external memory type {:#x}; the device exports opaque file descriptors only", out.flags);
    const auto descriptor = platform().memory().exportDescriptor(allocation->begin);
    if (!descriptor) return refuse(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no file descriptor is left for the export");
    out.fd = *descriptor;
    return ZE_RESULT_SUCCESS;
}

Status makeMemoryHandle(Context& context, const void* pointer, ze_ipc_mem_handle_t& out) {
    const auto allocation = context.usm().find(pointer);
    if (!allocation) return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "{} is in no allocation of this context", pointer);
    const auto descriptor = platform().memory().exportDescriptor(allocation->begin);
    if (!descriptor) return refuse(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no file descriptor is left for the handle");
    FileDescriptor owned(*descriptor);
    IpcHandle handle = makeIpcHandle(IpcHandle::Kind::memory, owned.get());
    handle.flags = allocation->type;
    handle.bytes = allocation->bytes;
    handle.offset = reinterpret_cast<std::uint64_t>(pointer) - allocation->begin;
    madeHandles().write([&](auto& all) { all.insert(owned.get()); });
    owned.release();
    std::memset(&out, 0, sizeof out);
    std::memcpy(&out, &handle, sizeof handle);
    return ZE_RESULT_SUCCESS;
}

Result<void*> openMemoryHandle(Context& context, std::shared_ptr<Device> device, const ze_ipc_mem_handle_t& bytes) {
    const auto handle = readIpcHandle(IpcHandle::Kind::memory, &bytes);
    if (!handle) return handle.code();
    const auto file = openIpcHandle(*handle);
    if (!file) return file.code();
    if (handle->offset >= handle->bytes)
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the handle's offset lies outside of its allocation");
    const auto mapped = context.usm().import(file->get(), handle->bytes, std::move(device));
    if (!mapped) return mapped.code();
    return static_cast<void*>(static_cast<std::byte*>(*mapped) + handle->offset);
}

Status putMemoryHandle(const ze_ipc_mem_handle_t& bytes) {
    const auto handle = readIpcHandle(IpcHandle::Kind::memory, &bytes);
    if (!handle) return handle.code();
    const bool made = madeHandles().write([&](auto& all) { return all.erase(handle->descriptor) != 0; });
    if (!made) return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the handle was put back already or made elsewhere");
    const FileDescriptor closing(handle->descriptor);
    return ZE_RESULT_SUCCESS;
}

}  // namespace zetl::emulator::driver
