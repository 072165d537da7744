// The functions zeMem... that share memory with other processes, on top of memory_sharing.h.
#pragma once

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::emulator::driver {

class Context;
class Device;

/// Every handle has the properties that a chained description can ask for (such as being sent as plain bytes).
Status makeMemoryHandleWithProperties(Context& context, const void* pointer, void* description,
                                      ze_ipc_mem_handle_t& out);
Result<void*> openMemory(Context& context, std::shared_ptr<Device> device, const ze_ipc_mem_handle_t& handle,
                         ze_ipc_memory_flags_t flags);
Status closeMemory(Context& context, const void* pointer);

// Intel's functions for allocations that need several handles. Here each allocation needs one, on any number of tiles.
Status makeMemoryHandles(Context& context, const void* pointer, std::uint32_t& count, ze_ipc_mem_handle_t* handles);
Result<void*> openMemories(Context& context, std::shared_ptr<Device> device, std::uint32_t count,
                           ze_ipc_mem_handle_t* handles, ze_ipc_memory_flags_t flags);

/// The handle for a descriptor from descriptorOf(), in the process that made it.
Status memoryHandleOf(std::uint64_t descriptor, ze_ipc_mem_handle_t& out);
Result<std::uint64_t> descriptorOf(const ze_ipc_mem_handle_t& handle);

}  // namespace zetl::emulator::driver
