// zes_engine_handle_t (sysman specification, "Engine Groups"): the compute engines of one tile.
#pragma once

#include <array>

#include "emulator/driver/shared_parts.h"
#include "emulator/driver/sysman/component.h"

namespace zetl::emulator::driver {

/// Immutable; what it tells is the machine's state at the moment of the call.
class EngineGroup : public Object<EngineGroup, zes_engine_handle_t> {
  public:
    static constexpr const char* kNoun = "engine group";

    explicit EngineGroup(const TileOfDevice& place) noexcept : place_(place) {}
    const TileOfDevice& place() const noexcept { return place_; }

    void describe(zes_engine_properties_t& out) const noexcept;
    /// How long kernels have been on the tile. Never more than the time between two samples.
    zes_engine_stats_t activity() const;
    /// There are no virtual functions: the one entry is the physical one's.
    std::array<zes_engine_stats_t, 1> activities() const { return {activity()}; }

  private:
    TileOfDevice place_;
};

}  // namespace zetl::emulator::driver
