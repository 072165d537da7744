// A device from the modules' point of view.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "device/access.h"

namespace zetl::device {

using Uuid = std::array<std::uint8_t, 16>;

/// One device or sub-device of one provider. Immutable; lives as long as the Devices that made it. Thread-safe.
class Device {
  public:
    Device(Access access, zetl_device_t id, const zetl_device_info_t& info);

    const Access& access() const noexcept { return access_; }
    zetl_device_t id() const noexcept { return id_; }
    zetl_device_t parent() const noexcept { return info_.parent; }
    const zetl_device_info_t& info() const noexcept { return info_; }
    const Uuid& uuid() const noexcept { return uuid_; }

    /// Whether this process can use the source at all: queries need a kind, and streams need a scope for which Level
    /// Zero has a streamer, the device or the process.
    bool offers(zetl_source_t source) const noexcept;
    /// Whether both sources may be held at the same time.
    bool together(zetl_source_t one, zetl_source_t other) const noexcept;

    /// Whether ze_device_thread_t, which has four levels, can name the device's threads.
    bool threadsHaveNames() const noexcept { return info_.level_count <= 4; }
    /// The first four levels of the thread path, which ze_device_thread_t names. 1 for a level that the device lacks.
    std::array<std::uint32_t, 4> threadCounts() const noexcept;
    /// The number of hardware threads, and of the units that hold them (all levels but the innermost).
    std::uint64_t threads() const noexcept;
    std::uint64_t engines() const noexcept;

  private:
    Access access_;
    zetl_device_t id_;
    zetl_device_info_t info_;
    Uuid uuid_;
};

}  // namespace zetl::device
