// All devices that offer device access, found by Level Zero handle.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "base/synchronized.h"
#include "device/core_calls.h"
#include "device/device.h"

namespace zetl::device {

/// Owned by the composition, which adds each driver's provider once. A device handle, wrapped by a loader or not, is
/// matched to a provider's device by UUID, the only name that both sides share. Thread-safe.
class Devices {
  public:
    explicit Devices(CoreCalls core) : core_(core) {}

    /// Lists the provider's devices. A device that cannot be described is left out and logged.
    void add(const Access& access);

    /// UNSUPPORTED_FEATURE if no provider knows the device.
    Result<const Device*> find(ze_device_handle_t handle);

    /// Null if no provider knows it.
    const Device* byUuid(const Uuid& uuid) const;

    /// Every provider that was added.
    std::vector<Access> accesses() const;

    const CoreCalls& core() const noexcept { return core_; }

  private:
    struct Content {
        std::vector<Access> accesses;
        std::vector<std::unique_ptr<const Device>> devices;
        std::unordered_map<ze_device_handle_t, const Device*> byHandle;
    };
    const CoreCalls core_;
    Synchronized<Content> content_;
};

}  // namespace zetl::device
