// The data that ze_ipc_mem_handle_t and ze_ipc_event_pool_handle_t carry between processes.
#pragma once

#include <level_zero/ze_api.h>

#include <cstdint>
#include <cstring>

#include "base/file_descriptor.h"
#include "base/result.h"

namespace zetl::emulator::driver {

/// The content of an IPC handle. Programs send the descriptor in its first four bytes by SCM_RIGHTS and put the
/// received number in its place; a handle that is sent as plain bytes is followed back to its maker through
/// pidfd_getfd, if the maker runs as the same user and the kernel allows it (ptrace access).
struct IpcHandle {
    enum class Kind : std::uint32_t { memory = 0x4d50495a, eventPool = 0x4550495a, counterEvent = 0x4350495a };

    std::int32_t descriptor;
    Kind kind;
    std::int32_t process;  ///< the process that made the handle
    std::uint32_t flags;   ///< memory: ze_memory_type_t; others: ze_event_pool_flags_t
    std::uint64_t inode;   ///< of the shared file, by which a descriptor number is recognised, with `device`
    std::uint64_t bytes;
    std::uint64_t offset;  ///< of the pointer in the allocation; others: number of events
    std::uint64_t device;  ///< that the file is on
};
static_assert(sizeof(IpcHandle) <= ZE_MAX_IPC_HANDLE_SIZE);

/// Makes a handle for the file behind `descriptor`, which must stay open as long as the handle is used.
IpcHandle makeIpcHandle(IpcHandle::Kind kind, int descriptor);

/// Writes it into one of Level Zero's handles; the rest of its bytes are 0.
template <class Bytes>
void writeIpcHandle(const IpcHandle& handle, Bytes& out) noexcept {
    static_assert(sizeof handle <= sizeof out);
    std::memset(&out, 0, sizeof out);
    std::memcpy(&out, &handle, sizeof handle);
}

/// Reads the bytes of a handle. INVALID_ARGUMENT if this driver did not make them.
Result<IpcHandle> readIpcHandle(IpcHandle::Kind kind, const void* bytes);

/// A descriptor of this process for the handle's file. INVALID_ARGUMENT with a log line if the number in the handle is
/// no such file here and the maker's cannot be fetched. Handles are bytes that anybody can write: a file counts only if
/// a driver like this one made it for what the handle is of, and is fetched only from a process of the same user.
Result<FileDescriptor> openIpcHandle(const IpcHandle& handle);

/// The size of the file behind a descriptor; INVALID_ARGUMENT if it is no file.
Result<std::uint64_t> descriptorBytes(int descriptor);

}  // namespace zetl::emulator::driver
