// Memory for other processes: IPC handles and exported file descriptors.
#pragma once

#include <optional>

#include "base/result.h"
#include "emulator/driver/memory/usm.h"

namespace zetl::emulator::driver {

class Context;

/// Fills in a descriptor of the allocation's file; the caller of the API closes it. UNSUPPORTED_ENUMERATION for other
/// than opaque descriptors, INVALID_ARGUMENT without an allocation.
Status exportDescriptor(const std::optional<UsmAllocation>& allocation, ze_external_memory_export_fd_t& out);

/// A handle for the allocation or the mapped physical memory that contains the pointer; a physical memory handle in the
/// place of the pointer stands for the whole object. The handle's descriptor stays open until the handle is put back or
/// the memory freed.
Status makeMemoryHandle(Context& context, const void* pointer, ze_ipc_mem_handle_t& out);
/// Maps the memory behind a handle; the same address as in the maker only by chance.
Result<void*> openMemoryHandle(Context& context, std::shared_ptr<Device> device, const ze_ipc_mem_handle_t& handle);
/// Ends all uses of handles for an allocation that is about to be freed.
void dropMemoryHandles(std::uint64_t allocation) noexcept;
/// Ends the use of a handle in its maker; handles for the same memory are one, used as often as it was asked for. Once
/// too often does nothing. INVALID_ARGUMENT for what is no handle.
Status putMemoryHandle(const ze_ipc_mem_handle_t& handle);

}  // namespace zetl::emulator::driver
