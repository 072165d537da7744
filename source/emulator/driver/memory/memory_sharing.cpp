#include "emulator/driver/memory/memory_sharing.h"

#include <fcntl.h>

#include <bit>
#include <map>

#include "base/never_destroyed.h"
#include "driver/holder.h"
#include "emulator/driver/device/external_memory_types.h"
#include "emulator/driver/device/platform.h"
#include "emulator/driver/memory/context.h"
#include "emulator/driver/memory/ipc_handle.h"
#include "emulator/driver/memory/physical_memory.h"
#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::driver {
namespace {

/// The descriptor that all handles for one file share, and how many of these handles were not put back.
struct MadeHandle {
    int descriptor;
    std::uint32_t uses;
    std::uint64_t allocation;  ///< its first address; 0: physical memory
};

/// All of them, by inode.
Synchronized<std::map<std::uint64_t, MadeHandle>>& madeHandles() {
    static NeverDestroyed<Synchronized<std::map<std::uint64_t, MadeHandle>>> handles;
    return *handles;
}

/// The part of memory that a file backs.
struct SharedPart {
    FileDescriptor file;
    std::uint64_t bytes;
    std::uint64_t offset;
    ze_memory_type_t type;
    std::uint64_t allocation = 0;
};

/// Shared memory is private to the process until its first export, which it is not made for.
void warnOfShared(const UsmAllocation& allocation) {
    if (allocation.type != ZE_MEMORY_TYPE_SHARED || allocation.imported) return;
    log::warn(
        log::Channel::emulator,
        "{}: shared memory is exported, where the specification has device and host memory only. Served, but what "
        "host threads store during the first export may be lost; allocate it with "
        "ze_external_memory_export_desc_t, or as host memory",
        currentFunction());
}

Result<SharedPart> partOf(const machine::PhysicalView& view) {
    FileDescriptor file(fcntl(view.physical->descriptor(), F_DUPFD_CLOEXEC, 0));
    if (!file) return refuse(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no file descriptor is left to share it by");
    return SharedPart{std::move(file), view.physical->bytes(), view.offset, ZE_MEMORY_TYPE_DEVICE};
}

/// Finds an allocation, a mapped virtual range or, as the specification of zeMemGetIpcHandleWithProperties allows, a
/// physical memory object whose handle is passed in the place of a pointer.
Result<SharedPart> sharedPartAt(Context& context, const void* pointer) {
    const auto address = reinterpret_cast<std::uint64_t>(pointer);
    if (const auto holder = holderOf(context, pointer)) {
        const auto allocation = holder->usm().find(pointer);
        auto file = allocation ? platform().memory().exportDescriptor(allocation->begin) : FileDescriptor();
        if (!file) return refuse(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no file descriptor is left to share it by");
        if (!allocation->exported) warnOfShared(*allocation);
        return SharedPart{std::move(file), allocation->bytes, address - allocation->begin, allocation->type,
                          allocation->begin};
    }
    if (const auto view = platform().memory().physicalBehind(address)) return partOf(*view);
    const auto handle = reinterpret_cast<ze_physical_mem_handle_t>(const_cast<void*>(pointer));
    if (const auto object = live<PhysicalMemory>().find(handle)) return partOf({object->pages(), 0});
    return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "{} is in no live allocation or mapped range", pointer);
}

bool isOneType(ze_external_memory_type_flags_t type) noexcept {
    return std::has_single_bit(type) && (type & kExternalMemoryTypes) != 0;
}

Status refuseType(ze_external_memory_type_flags_t types) {
    return refuse(ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION,
                  "external memory type {:#x}; the device has opaque file descriptors and DMA buffers", types);
}

}  // namespace

Result<std::optional<int>> importedDescriptor(const void* description, ze_structure_type_t type) {
    const auto* wish =
        findInChain<ze_external_memory_export_desc_t>(description, type, ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_EXPORT_DESC);
    if (wish && wish->flags & ~kExternalMemoryTypes) return refuseType(wish->flags);
    const auto* import =
        findInChain<ze_external_memory_import_fd_t>(description, type, ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMPORT_FD);
    if (!import) return std::optional<int>{};
    if (!isOneType(import->flags)) return refuseType(import->flags);
    return std::optional<int>{import->fd};
}

Status refuseDescriptor(int descriptor, std::uint64_t bytes) {
    return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                  "{} is not the descriptor of {} bytes of memory that stay: of what zeMemGetAllocProperties exported, "
                  "of a DMA buffer, or of a file of memfd_create that has F_SEAL_SHRINK or may be given it "
                  "(MFD_ALLOW_SEALING). Any other file could be cut short, which ends a process that has it mapped",
                  descriptor, bytes);
}

Status exportDescriptor(Context& context, const void* pointer, ze_external_memory_export_fd_t& out) {
    if (!isOneType(out.flags)) return refuseType(out.flags);
    auto shared = sharedPartAt(context, pointer);
    if (!shared) return shared.code();
    if (shared->type == ZE_MEMORY_TYPE_SHARED)
        return refuse(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE,
                      "{} is shared memory, which moves; export device or host memory", pointer);
    out.fd = shared->file.release();
    return ZE_RESULT_SUCCESS;
}

Status makeMemoryHandle(Context& context, const void* pointer, ze_ipc_mem_handle_t& out) {
    auto shared = sharedPartAt(context, pointer);
    if (!shared) return shared.code();
    IpcHandle handle = makeIpcHandle(IpcHandle::Kind::memory, shared->file.get());
    handle.flags = shared->type;
    handle.bytes = shared->bytes;
    handle.offset = shared->offset;
    handle.descriptor = madeHandles().write([&](auto& all) {
        const auto [made, fresh] = all.try_emplace(handle.inode, MadeHandle{shared->file.get(), 0, shared->allocation});
        if (fresh) shared->file.release();
        ++made->second.uses;
        return made->second.descriptor;
    });
    writeIpcHandle(handle, out);
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

void dropMemoryHandles(std::uint64_t allocation) noexcept {
    madeHandles().write([&](auto& all) {
        std::erase_if(all, [&](const auto& made) {
            if (made.second.allocation != allocation) return false;
            const FileDescriptor closing(made.second.descriptor);
            return true;
        });
    });
}

Status putMemoryHandle(const ze_ipc_mem_handle_t& bytes) {
    const auto handle = readIpcHandle(IpcHandle::Kind::memory, &bytes);
    if (!handle) return handle.code();
    const int unused = madeHandles().write([&](auto& all) {
        const auto made = all.find(handle->inode);
        if (made == all.end() || made->second.descriptor != handle->descriptor) {
            log::warn(log::Channel::emulator, "{}: the handle was put back already or made elsewhere; nothing to do",
                      currentFunction());
            return -1;
        }
        if (--made->second.uses > 0) return -1;
        const int descriptor = made->second.descriptor;
        all.erase(made);
        return descriptor;
    });
    const FileDescriptor closing(unused);
    return ZE_RESULT_SUCCESS;
}

Status describePhysical(Context& context, PhysicalMemory& physical, ze_physical_mem_properties_t& out) {
    out.id = physical.id();
    out.size = physical.pages()->bytes();
    Status status = ZE_RESULT_SUCCESS;
    forEachLink(&out, ZE_STRUCTURE_TYPE_PHYSICAL_MEM_PROPERTIES,
                fillLink<ze_external_memory_export_fd_t>(ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_EXPORT_FD, [&](auto& more) {
                    status = exportDescriptor(context, physical.handle(), more);
                }));
    return status;
}

}  // namespace zetl::emulator::driver
