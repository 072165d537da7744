// The objects of a soak episode. Each destroys itself, so that an episode leaves nothing behind wherever it ends.
#pragma once

#include <level_zero/ze_api.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "soak/ledger.h"

namespace zetl::soak {

/// A handle with the function that destroys it.
template <class H, ze_result_t(ZE_APICALL* Destroy)(H)>
class Owned {
  public:
    Owned() = default;
    explicit Owned(H handle) : handle_(handle) {}
    Owned(Owned&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    Owned& operator=(Owned&& other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    ~Owned() {
        if (handle_) Destroy(handle_);
    }
    operator H() const noexcept { return handle_; }
    H* place() noexcept { return &handle_; }

  private:
    H handle_ = nullptr;
};

using Context = Owned<ze_context_handle_t, zeContextDestroy>;
using Queue = Owned<ze_command_queue_handle_t, zeCommandQueueDestroy>;
using List = Owned<ze_command_list_handle_t, zeCommandListDestroy>;
using Fence = Owned<ze_fence_handle_t, zeFenceDestroy>;
using EventPool = Owned<ze_event_pool_handle_t, zeEventPoolDestroy>;
using Event = Owned<ze_event_handle_t, zeEventDestroy>;
using Module = Owned<ze_module_handle_t, zeModuleDestroy>;
using Kernel = Owned<ze_kernel_handle_t, zeKernelDestroy>;

/// Memory of a context.
class Memory {
  public:
    Memory(ze_context_handle_t context, void* address) : context_(context), address_(address) {}
    Memory(Memory&& other) noexcept : context_(other.context_), address_(std::exchange(other.address_, nullptr)) {}
    Memory& operator=(Memory&&) = delete;
    ~Memory() {
        if (address_) zeMemFree(context_, address_);
    }
    template <class T = std::uint32_t>
    T* as() const noexcept {
        return static_cast<T*>(address_);
    }

  private:
    ze_context_handle_t context_;
    void* address_;
};

/// The process's driver and first device, with a context and a module of one thread.
class Gpu {
  public:
    Gpu();

    ze_driver_handle_t driver() const noexcept { return driver_; }
    ze_device_handle_t device() const noexcept { return device_; }
    ze_context_handle_t context() const noexcept { return context_; }

    Memory allocate(ze_memory_type_t type, std::size_t bytes) const;
    Queue queue(ze_command_queue_mode_t mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS) const;
    List list() const;
    List immediate(ze_command_queue_mode_t mode) const;
    EventPool pool(std::uint32_t count, ze_event_pool_flags_t flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE) const;
    static Event event(ze_event_pool_handle_t pool, std::uint32_t index);
    /// A new build of the tests' kernels.
    Module module(const char* flags = "") const;
    /// A kernel of the thread's own module.
    Kernel kernel(const char* name, std::uint32_t groupSize) const { return kernel(module_, name, groupSize); }
    static Kernel kernel(ze_module_handle_t module, const char* name, std::uint32_t groupSize);
    template <class... A>
    static void arguments(ze_kernel_handle_t kernel, const A&... values) {
        std::uint32_t index = 0;
        (SOAK_CALL(zeKernelSetArgumentValue(kernel, index++, sizeof values, &values)), ...);
    }

    /// Waits for an immediate list, by a function that old loaders do not export.
    void synchronize(ze_command_list_handle_t list) const;

  private:
    ze_driver_handle_t driver_ = nullptr;
    ze_device_handle_t device_ = nullptr;
    ze_result_t(ZE_APICALL* hostSynchronize_)(ze_command_list_handle_t, std::uint64_t) = nullptr;
    Context context_;
    Module module_;
};

}  // namespace zetl::soak
