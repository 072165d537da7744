// zes_freq_handle_t (sysman specification, "Frequency"): the core clock of one tile.
#pragma once

#include <array>

#include "emulator/driver/shared_parts.h"
#include "emulator/driver/sysman/component.h"

namespace zetl::emulator::driver {

/// The emulated core has one clock, the profile's, which never changes: it is its own range. Immutable.
class FrequencyDomain : public Object<FrequencyDomain, zes_freq_handle_t> {
  public:
    static constexpr const char* kNoun = "frequency domain";

    explicit FrequencyDomain(const TileOfDevice& place) noexcept : place_(place) {}
    const TileOfDevice& place() const noexcept { return place_; }

    double megahertz() const noexcept { return place_.profile().coreClockMhz; }
    void describe(zes_freq_properties_t& out) const noexcept;
    void state(zes_freq_state_t& out) const noexcept;
    std::array<double, 1> clocks() const noexcept { return {megahertz()}; }
    void range(zes_freq_range_t& out) const noexcept { out.min = out.max = megahertz(); }
    /// The emulated clock is never slowed down.
    void throttleTime(zes_freq_throttle_time_t& out) const noexcept { out = {0, sampleTime()}; }

  private:
    TileOfDevice place_;
};

}  // namespace zetl::emulator::driver
