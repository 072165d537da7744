// ze_context_handle_t: the owner of memory, queues, modules and events (core specification, "Contexts").
#pragma once

#include <memory>
#include <vector>

#include "nvidia/driver/device/device.h"
#include "nvidia/driver/memory/usm.h"
#include "nvidia/driver/memory/virtual_memory.h"
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
    explicit Context(std::vector<Member> members);

    /// The device, at work. INVALID_ARGUMENT if the context does not have it.
    Result<Member> member(const Device& device) const;
    const Member& first() const noexcept { return members_.front(); }
    Usm& usm() noexcept { return usm_; }

    // The exported functions, without their first argument.
    Status getStatus();
    /// Host and device see each other's writes in pinned memory without a flush.
    Status systemBarrier(const Device& device) { return member(device).code(); }
    /// All memory is resident always; the range must still be the caller's.
    Status inSomeAllocation(const Device& device, void* pointer, std::size_t size);
    Result<void*> allocDevice(const ze_device_mem_alloc_desc_t& description, std::size_t size, std::size_t alignment,
                              const Device& device);
    Result<void*> allocHost(const ze_host_mem_alloc_desc_t& description, std::size_t size, std::size_t alignment);
    /// `device` may be null.
    Result<void*> allocShared(const ze_device_mem_alloc_desc_t& onDevice, const ze_host_mem_alloc_desc_t& onHost,
                              std::size_t size, std::size_t alignment, Device* device);
    Status freeMemory(void* pointer);
    Status freeExt(const ze_memory_free_ext_desc_t* description, void* pointer);
    Status getAllocProperties(const void* pointer, ze_memory_allocation_properties_t* out, ze_device_handle_t* device);
    Status getAddressRange(const void* pointer, void** base, std::size_t* size);
    Status getIpcHandle(const void* pointer, ze_ipc_mem_handle_t* out);
    Status putIpcHandle(ze_ipc_mem_handle_t handle);
    Result<void*> openIpcHandle(const Device& device, const ze_ipc_mem_handle_t& handle, ze_ipc_memory_flags_t flags);
    Status closeIpcHandle(const void* pointer);
    /// The size has no influence on it.
    Result<std::size_t> queryPageSize(const Device& device, std::size_t size) const;
    VirtualMemory& virtualMemory() noexcept { return virtual_; }

  private:
    const std::vector<Member> members_;
    Usm usm_;
    VirtualMemory virtual_;
};

}  // namespace zetl::nvidia
