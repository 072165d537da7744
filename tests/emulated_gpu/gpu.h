// The emulated GPU as the driver tests use it: through the stock loader, in a process of its own.
#pragma once

#include <gtest/gtest.h>
#include <level_zero/ze_api.h>

#include <string>
#include <vector>

#include "support/process.h"

namespace zetl::test {

/// A fresh process that runs a scenario of this program on the emulated GPU alone.
Process emulated(const std::string& scenario, const std::string& profile = "tiny");

#define ASSERT_OK(call) ASSERT_EQ(call, ZE_RESULT_SUCCESS)
#define EXPECT_OK(call) EXPECT_EQ(call, ZE_RESULT_SUCCESS)

/// Everything that a function lists which first counts: get(from, &count, null), then get(from, &count, values).
template <class From, class T>
std::vector<T> listOf(ze_result_t(ZE_APICALL* get)(From, std::uint32_t*, T*), From from) {
    std::uint32_t count = 0;
    EXPECT_OK(get(from, &count, nullptr));
    std::vector<T> values(count);
    EXPECT_OK(get(from, &count, values.data()));
    return values;
}

inline constexpr ze_group_count_t kOneGroup{1, 1, 1};

std::vector<std::uint8_t> readFile(const std::string& path);

/// Driver, device and context, and the objects that most tests make of them. Objects end with the process. A call that
/// fails ends the process with a message.
class Gpu {
  public:
    explicit Gpu(unsigned driver = 0);
    /// The same, but for another device of the driver.
    Gpu on(ze_device_handle_t device) const;

    ze_driver_handle_t driver() const { return driver_; }
    ze_device_handle_t device() const { return device_; }
    ze_context_handle_t context() const { return context_; }

    template <class T = int>
    T* device(std::size_t count) const {
        return static_cast<T*>(allocate(ZE_MEMORY_TYPE_DEVICE, count * sizeof(T)));
    }
    template <class T = int>
    T* shared(std::size_t count) const {
        return static_cast<T*>(allocate(ZE_MEMORY_TYPE_SHARED, count * sizeof(T)));
    }
    template <class T = int>
    T* host(std::size_t count) const {
        return static_cast<T*>(allocate(ZE_MEMORY_TYPE_HOST, count * sizeof(T)));
    }

    ze_command_queue_handle_t queue() const;
    ze_command_list_handle_t list() const;
    ze_command_list_handle_t immediate(ze_command_queue_mode_t mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS,
                                       ze_command_queue_flags_t flags = 0) const;
    ze_event_pool_handle_t pool(std::uint32_t count, ze_event_pool_flags_t flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
                                const void* chained = nullptr) const;
    static ze_event_handle_t event(ze_event_pool_handle_t pool, std::uint32_t index = 0);

    /// The file of kernels with that name, built from SPIR-V.
    ze_module_handle_t moduleOf(const std::string& source, const char* flags = "") const;
    ze_module_handle_t module(const char* flags = "") const { return moduleOf("driver_kernels", flags); }
    /// A kernel of it with group size (x, 1, 1).
    ze_kernel_handle_t kernel(const char* name, std::uint32_t groupSize = 1) const {
        return kernelOf(module(), name, groupSize);
    }
    static ze_kernel_handle_t kernelOf(ze_module_handle_t module, const char* name, std::uint32_t groupSize = 1);
    template <class... A>
    static void arguments(ze_kernel_handle_t kernel, const A&... values) {
        std::uint32_t index = 0;
        (set(kernel, index++, sizeof values, &values), ...);
    }

    /// A function the loader may be too old to know, from the driver itself.
    template <class F>
    F* function(const char* name) const {
        return reinterpret_cast<F*>(extension(name));
    }
    /// zeCommandListHostSynchronize.
    ze_result_t synchronize(ze_command_list_handle_t list, std::uint64_t timeout) const {
        return function<decltype(zeCommandListHostSynchronize)>("zeCommandListHostSynchronize")(list, timeout);
    }

    /// Executes a closed or open list on a queue and waits.
    ze_result_t run(ze_command_list_handle_t list) const;

  private:
    void* extension(const char* name) const;
    void* allocate(ze_memory_type_t type, std::size_t bytes) const;
    static void set(ze_kernel_handle_t kernel, std::uint32_t index, std::size_t size, const void* value);

    ze_driver_handle_t driver_ = nullptr;
    ze_device_handle_t device_ = nullptr;
    ze_context_handle_t context_ = nullptr;
};

/// A Level Zero function that the loader may be too old to know.
#define DRIVER_CALL(gpu, name) ((gpu).function<decltype(name)>(#name))

}  // namespace zetl::test
