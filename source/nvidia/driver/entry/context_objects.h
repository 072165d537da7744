// What contexts and devices do with objects of folders above their own: they create queues, lists, event pools, modules
// and physical memory, map that, and wait for work.
#pragma once

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::nvidia {

class CommandList;
class CommandQueue;
class Context;
class Device;
class Event;
class EventPool;
class PhysicalMemory;

// INVALID_ARGUMENT for a device outside the context, and the codes of the classes' create().
Result<std::shared_ptr<CommandQueue>> createQueue(Context& context, const Device& device,
                                                  const ze_command_queue_desc_t& description);
Result<std::shared_ptr<CommandList>> createList(Context& context, const Device& device,
                                                const ze_command_list_desc_t& description);
Result<std::shared_ptr<CommandList>> createImmediateList(Context& context, const Device& device,
                                                         const ze_command_queue_desc_t& description);
Result<std::shared_ptr<Event>> createCounterEvent(Context& context, const Device& device,
                                                  const ze_event_counter_based_desc_t& description);

/// A pool of another process, by its handle, and the end of a handle, which holds nothing.
Result<std::shared_ptr<EventPool>> openEventPool(Context& context, const ze_ipc_event_pool_handle_t& handle);
Status putEventPoolHandle(const ze_ipc_event_pool_handle_t& handle);

Result<std::shared_ptr<EventPool>> createEventPool(Context& context, const ze_event_pool_desc_t& description,
                                                   std::uint32_t count, ze_device_handle_t* devices);
/// `device` may be null for memory on the host, which is not offered.
Result<std::shared_ptr<PhysicalMemory>> createPhysicalMemory(Context& context, Device* device,
                                                             const ze_physical_mem_desc_t& description);

Result<void*> reserveRange(Context& context, const void* wanted, std::size_t bytes);
Status releaseRange(Context& context, const void* address, std::size_t bytes);
Status mapRange(Context& context, const void* address, std::size_t bytes, const PhysicalMemory& physical,
                std::size_t offset, ze_memory_access_attribute_t access);
Status unmapRange(Context& context, const void* address, std::size_t bytes);
Status setRangeAccess(Context& context, const void* address, std::size_t bytes, ze_memory_access_attribute_t access);
Status getRangeAccess(Context& context, const void* address, std::size_t bytes, ze_memory_access_attribute_t& access,
                      std::size_t& accessBytes);

/// `log` may be null; otherwise it gets a build log, also of a failure.
Status createModule(Context& context, const Device& device, const ze_module_desc_t& description,
                    ze_module_handle_t& out, ze_module_build_log_handle_t* log);

/// Waits for the work of every queue and immediate list on the device.
Status synchronizeDevice(const Device& device);

}  // namespace zetl::nvidia
