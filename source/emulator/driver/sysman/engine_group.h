// zes_engine_handle_t (sysman specification, "Engine Groups"): the compute engines of one tile, its copy engines, and
// all of them.
#pragma once

#include <array>

#include "base/mutex.h"
#include "emulator/driver/shared_parts.h"
#include "emulator/driver/sysman/component.h"
#include "emulator/peers/idle_time.h"

namespace zetl::emulator::driver {

/// Thread-safe.
class EngineGroup : public Object<EngineGroup, zes_engine_handle_t> {
  public:
    static constexpr const char* kNoun = "engine group";
    static constexpr std::uint32_t kPerTile = 3;

    EngineGroup(const TileOfDevice& place, std::uint32_t kind) noexcept : place_(place), kind_(kind) {}
    const TileOfDevice& place() const noexcept { return place_; }

    void describe(zes_engine_properties_t& out) const noexcept;
    /// How long work of any process of the user has been on these engines. Processes that work at the same time share
    /// the engine, as on hardware: never more than the time between two samples.
    zes_engine_stats_t activity();
    /// There are no virtual functions: the one entry is the physical one's.
    std::array<zes_engine_stats_t, 1> activities() { return {activity()}; }

  private:
    const TileOfDevice place_;
    const std::uint32_t kind_;
    Mutex mutex_;
    std::uint64_t begin_ ZETL_GUARDED_BY(mutex_) = 0;       ///< of the first sample; 0: there was none
    std::uint64_t worked_ ZETL_GUARDED_BY(mutex_) = 0;      ///< nanoseconds, all processes together
    std::uint64_t workBefore_ ZETL_GUARDED_BY(mutex_) = 0;  ///< at the begin
    peers::IdleTime idle_ ZETL_GUARDED_BY(mutex_);
};

}  // namespace zetl::emulator::driver
