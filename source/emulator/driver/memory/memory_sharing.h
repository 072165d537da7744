// Shares memory with other processes: IPC handles and exported file descriptors.
#pragma once

#include <optional>

#include "base/result.h"
#include "emulator/driver/memory/usm.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::emulator::driver {

class Context;
class PhysicalMemory;

/// ze_ipc_mem_handle_type_ext_desc_t, which headers before specification 1.15 do not have: a hint.
inline constexpr std::uint32_t kIpcHandleTypes = 0x0002003d;

/// The descriptor of ze_external_memory_import_fd_t in the chain of a description, which stays the caller's; none
/// without that structure. UNSUPPORTED_ENUMERATION for what is not one of kExternalMemoryTypes, there or in
/// ze_external_memory_export_desc_t.
Result<std::optional<int>> importedDescriptor(const void* description, ze_structure_type_t type);

/// INVALID_ARGUMENT for a descriptor that memory of that size cannot be imported from, with what could be.
Status refuseDescriptor(int descriptor, std::uint64_t bytes);

/// Fills in a descriptor of the file behind an allocation or mapped range; the caller of the API closes it.
/// UNSUPPORTED_ENUMERATION for what is not one of kExternalMemoryTypes, INVALID_ARGUMENT where there is no memory,
/// UNSUPPORTED_FEATURE for shared allocations, as in Intel's driver.
Status exportDescriptor(Context& context, const void* pointer, ze_external_memory_export_fd_t& out);

/// zePhysicalMemGetProperties, which exports a descriptor if the chain asks for one.
Status describePhysical(Context& context, PhysicalMemory& physical, ze_physical_mem_properties_t& out);

/// Makes a handle for the allocation or the mapped physical memory that contains the pointer. A physical memory handle
/// in the place of the pointer stands for the whole object. The handle's descriptor stays open until the handle is put
/// back or the memory is freed.
Status makeMemoryHandle(Context& context, const void* pointer, ze_ipc_mem_handle_t& out);
/// Maps the memory behind a handle. The address usually differs from the one in the process that made the handle.
Result<void*> openMemoryHandle(Context& context, std::shared_ptr<Device> device, const ze_ipc_mem_handle_t& handle);
/// Ends all uses of handles for an allocation that is about to be freed.
void dropMemoryHandles(std::uint64_t allocation) noexcept;
/// Ends one use of a handle in the process that made it. Handles for the same memory are one handle, with one use for
/// each time that it was made; calls beyond that do nothing. INVALID_ARGUMENT for bytes that are no handle.
Status putMemoryHandle(const ze_ipc_mem_handle_t& handle);

}  // namespace zetl::emulator::driver
