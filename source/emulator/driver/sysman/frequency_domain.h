// zes_freq_handle_t (sysman specification, "Frequency"): the core clock of one tile.
#pragma once

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

  private:
    TileOfDevice place_;
};

}  // namespace zetl::emulator::driver
