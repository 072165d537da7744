// ze_context_handle_t: the owner of memory, queues, modules and events (core specification, "Contexts").
#pragma once

#include <memory>
#include <vector>

#include "nvidia/driver/device/device.h"
#include "nvidia/driver/memory/usm.h"
#include "nvidia/driver/shared_parts.h"

namespace zetl::nvidia {

/// A context over some of the driver's devices, which it keeps at work. Destroying it frees the memory that the
/// application left in it. Thread-safe.
class Context : public Object<Context, ze_context_handle_t> {
  public:
    static constexpr const char* kNoun = "context";

    /// A device, and what keeps it at work.
    struct Member {
        std::shared_ptr<Device> device;
        std::shared_ptr<Device::Work> work;
    };
    static Result<std::shared_ptr<Context>> create(std::vector<std::shared_ptr<Device>> devices);
    explicit Context(std::vector<Member> members) : members_(std::move(members)), usm_(members_.front().work) {}

    /// The device of that handle, at work. Returns INVALID_NULL_HANDLE, or INVALID_ARGUMENT if the context does not
    /// have the device.
    Result<Member> member(ze_device_handle_t device) const;
    const Member& first() const noexcept { return members_.front(); }
    Usm& usm() noexcept { return usm_; }

    // The exported functions, without their first argument.
    Status getStatus();
    Status systemBarrier(ze_device_handle_t device);
    Status makeResident(ze_device_handle_t device, void* pointer, std::size_t size);
    Status evict(ze_device_handle_t device, void* pointer, std::size_t size);
    Status allocDevice(const ze_device_mem_alloc_desc_t* description, std::size_t size, std::size_t alignment,
                       ze_device_handle_t device, void** out);
    Status allocHost(const ze_host_mem_alloc_desc_t* description, std::size_t size, std::size_t alignment, void** out);
    Status allocShared(const ze_device_mem_alloc_desc_t* onDevice, const ze_host_mem_alloc_desc_t* onHost,
                       std::size_t size, std::size_t alignment, ze_device_handle_t device, void** out);
    Status freeMemory(void* pointer);
    Status freeExt(const ze_memory_free_ext_desc_t* description, void* pointer);
    Status getAllocProperties(const void* pointer, ze_memory_allocation_properties_t* out, ze_device_handle_t* device);
    Status getAddressRange(const void* pointer, void** base, std::size_t* size);
    Status getIpcHandle(const void* pointer, ze_ipc_mem_handle_t* out);
    Status putIpcHandle(ze_ipc_mem_handle_t handle);
    Status openIpcHandle(ze_device_handle_t device, ze_ipc_mem_handle_t handle, ze_ipc_memory_flags_t flags,
                         void** out);
    Status closeIpcHandle(const void* pointer);
    Status createQueue(ze_device_handle_t device, const ze_command_queue_desc_t* description,
                       ze_command_queue_handle_t* out);
    Status createList(ze_device_handle_t device, const ze_command_list_desc_t* description,
                      ze_command_list_handle_t* out);
    Status createImmediateList(ze_device_handle_t device, const ze_command_queue_desc_t* description,
                               ze_command_list_handle_t* out);
    Status createEventPool(const ze_event_pool_desc_t* description, std::uint32_t count, ze_device_handle_t* devices,
                           ze_event_pool_handle_t* out);
    Status createModule(ze_device_handle_t device, const ze_module_desc_t* description, ze_module_handle_t* out,
                        ze_module_build_log_handle_t* log);

  private:
    Status inSomeAllocation(ze_device_handle_t device, const void* pointer, std::size_t size);

    const std::vector<Member> members_;
    Usm usm_;
};

}  // namespace zetl::nvidia
