// ze_context_handle_t: the owner of memory, queues, modules and events (core specification, "Contexts").
#pragma once

#include <vector>

#include "base/result.h"
#include "emulator/driver/memory/usm.h"
#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::driver {

class Device;

/// A context over some devices of the driver. Destroying it frees the memory that the application left in it.
/// Thread-safe.
class Context : public Object<Context, ze_context_handle_t> {
  public:
    static constexpr const char* kNoun = "context";

    /// Empty `devices` means all devices of the driver.
    static Result<std::shared_ptr<Context>> create(const ze_context_desc_t& description, std::uint32_t deviceCount,
                                                   ze_device_handle_t* devices);
    static Result<std::shared_ptr<Context>> createForAllDevices(const ze_context_desc_t& description) {
        return create(description, 0, nullptr);
    }
    /// The context over all devices. It is made when first asked for, and again if the application has destroyed it.
    static std::shared_ptr<Context> byDefault();
    explicit Context(std::vector<std::shared_ptr<Device>> devices) : devices_(std::move(devices)) {}

    /// True if the device, its root or one of its tiles was named at creation.
    bool holds(Device& device) const noexcept;

    const std::vector<std::shared_ptr<Device>>& devices() const noexcept { return devices_; }

    Usm& usm() noexcept { return usm_; }

  private:
    std::vector<std::shared_ptr<Device>> devices_;
    Usm usm_;
};

}  // namespace zetl::emulator::driver
