#include "emulator/driver/memory/ipc_memory.h"

#include "emulator/driver/device/device.h"
#include "emulator/driver/memory/context.h"
#include "emulator/driver/memory/ipc_handle.h"
#include "emulator/driver/memory/memory_sharing.h"
#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::driver {

Status makeMemoryHandleWithProperties(Context& context, const void* pointer, void*, ze_ipc_mem_handle_t& out) {
    return makeMemoryHandle(context, pointer, out);
}

Result<void*> openMemory(Context& context, std::shared_ptr<Device> device, const ze_ipc_mem_handle_t& handle,
                         ze_ipc_memory_flags_t flags) {
    constexpr ze_ipc_memory_flags_t kFlags = ZE_IPC_MEMORY_FLAG_BIAS_CACHED | ZE_IPC_MEMORY_FLAG_BIAS_UNCACHED;
    if (flags & ~kFlags) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    return openMemoryHandle(context, std::move(device), handle);
}

Status closeMemory(Context& context, const void* pointer) {
    const auto allocation = context.usm().find(pointer);
    void* begin = allocation ? reinterpret_cast<void*>(allocation->begin) : const_cast<void*>(pointer);
    return context.usm().closeImport(begin);
}

Status makeMemoryHandles(Context& context, const void* pointer, std::uint32_t& count, ze_ipc_mem_handle_t* handles) {
    ze_ipc_mem_handle_t made;
    if (const Status bad = makeMemoryHandle(context, pointer, made); bad != ZE_RESULT_SUCCESS) return bad;
    count = 1;
    if (!handles) return putMemoryHandle(made);
    handles[0] = made;
    return ZE_RESULT_SUCCESS;
}

Result<void*> openMemories(Context& context, std::shared_ptr<Device> device, std::uint32_t count,
                           ze_ipc_mem_handle_t* handles, ze_ipc_memory_flags_t flags) {
    if (count == 1) return openMemory(context, std::move(device), handles[0], flags);
    return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "{} handles; every allocation has one", count);
}

Status memoryHandleOf(std::uint64_t descriptor, ze_ipc_mem_handle_t& out) {
    const auto bytes = descriptorBytes(static_cast<int>(descriptor));
    if (!bytes) return bytes.code();
    IpcHandle made = makeIpcHandle(IpcHandle::Kind::memory, static_cast<int>(descriptor));
    made.flags = ZE_MEMORY_TYPE_DEVICE;
    made.bytes = *bytes;
    writeIpcHandle(made, out);
    return ZE_RESULT_SUCCESS;
}

Result<std::uint64_t> descriptorOf(const ze_ipc_mem_handle_t& handle) {
    const auto known = readIpcHandle(IpcHandle::Kind::memory, &handle);
    if (!known) return known.code();
    return static_cast<std::uint64_t>(known->descriptor);
}

}  // namespace zetl::emulator::driver
