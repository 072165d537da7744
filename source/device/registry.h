// Live objects of the application that more than one module needs to know.
#pragma once

#include <level_zero/ze_api.h>

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/synchronized.h"

namespace zetl::device {

/// What is known of a module that the application created.
struct LiveModule {
    ze_context_handle_t context = nullptr;
    ze_device_handle_t device = nullptr;
    ze_module_format_t format = ZE_MODULE_FORMAT_IL_SPIRV;
    std::string buildFlags;  ///< as given; empty if none
};

/// Fed by whoever sees the calls: the layer's interception, or a driver that composes the modules itself. Handles are
/// those the feeder sees; one that was not announced is simply unknown. Thread-safe; a handle that the driver gives out
/// again after the object's end replaces what was known of it.
class Registry {
  public:
    void moduleCreated(ze_module_handle_t module, LiveModule description);
    void moduleDestroyed(ze_module_handle_t module);
    void kernelCreated(ze_kernel_handle_t kernel, ze_module_handle_t module);
    void kernelDestroyed(ze_kernel_handle_t kernel);
    void listCreated(ze_command_list_handle_t list, ze_device_handle_t device);
    void listDestroyed(ze_command_list_handle_t list);
    void queueCreated(ze_command_queue_handle_t queue, ze_device_handle_t device);
    void queueDestroyed(ze_command_queue_handle_t queue);

    std::optional<LiveModule> module(ze_module_handle_t module) const;
    /// The module a kernel was made from, also after that module's handle is gone.
    std::optional<LiveModule> moduleOf(ze_kernel_handle_t kernel) const;
    std::optional<ze_device_handle_t> deviceOf(ze_command_list_handle_t list) const;
    std::optional<ze_device_handle_t> deviceOf(ze_command_queue_handle_t queue) const;

  private:
    struct Content {
        std::unordered_map<ze_module_handle_t, LiveModule> modules;
        std::unordered_map<ze_kernel_handle_t, LiveModule> kernels;
        std::unordered_map<ze_command_list_handle_t, ze_device_handle_t> lists;
        std::unordered_map<ze_command_queue_handle_t, ze_device_handle_t> queues;
    };
    Synchronized<Content> content_;
};

}  // namespace zetl::device
