// zes_mem_handle_t (sysman specification, "Memory"): the memory of one tile.
#pragma once

#include "emulator/driver/shared_parts.h"
#include "emulator/driver/sysman/component.h"

namespace zetl::emulator::driver {

/// Immutable; what it tells is the machine's state at the moment of the call.
class MemoryModule : public Object<MemoryModule, zes_mem_handle_t> {
  public:
    static constexpr const char* kNoun = "memory module";

    explicit MemoryModule(const TileOfDevice& place) noexcept : place_(place) {}
    const TileOfDevice& place() const noexcept { return place_; }

    void describe(zes_mem_properties_t& out) const noexcept;
    /// Device memory only: host and shared allocations are the host's memory. The size is what can be allocated, which
    /// is less than the physical size where the host has less memory than the device is said to have. What other
    /// processes of the user hold is not free.
    void state(zes_mem_state_t& out) const;
    /// Bytes that kernels and copies of all processes read and wrote, and the bandwidth of the hardware.
    void bandwidth(zes_mem_bandwidth_t& out) const;

  private:
    TileOfDevice place_;
};

}  // namespace zetl::emulator::driver
