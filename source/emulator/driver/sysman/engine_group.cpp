#include "emulator/driver/sysman/engine_group.h"

#include <algorithm>

namespace zetl::emulator::driver {
namespace {

using peers::TileUse;

std::uint64_t computeTime(const TileUse& use) noexcept { return use.computeTime; }
std::uint64_t copyTime(const TileUse& use) noexcept { return use.copyTime; }
std::uint64_t anyTime(const TileUse& use) noexcept { return use.computeTime + use.copyTime - use.bothTime; }

struct EngineKind {
    zes_engine_group_t type;
    std::uint64_t (*workOf)(const TileUse&) noexcept;  ///< nanoseconds
};
constexpr EngineKind kEngineKinds[EngineGroup::kPerTile] = {
    {ZES_ENGINE_GROUP_COMPUTE_ALL, computeTime},
    {ZES_ENGINE_GROUP_COPY_ALL, copyTime},
    {ZES_ENGINE_GROUP_ALL, anyTime},
};

}  // namespace

void EngineGroup::describe(zes_engine_properties_t& out) const noexcept {
    out.type = kEngineKinds[kind_].type;
    place_.place(out);
}

zes_engine_stats_t EngineGroup::activity() {
    const Lock guard(mutex_);
    worked_ = std::max(worked_, kEngineKinds[kind_].workOf(place_.use()));  // sums of three that are read one by one
    const std::uint64_t now = machine::HostTime::monotonicRaw();
    if (begin_ == 0) {
        begin_ = now;
        workBefore_ = worked_;
    }
    const std::uint64_t passed = now - begin_;
    const std::uint64_t active = workBefore_ + passed - idle_.of(passed, worked_ - workBefore_);
    return {microseconds(std::chrono::nanoseconds(active)), microseconds(std::chrono::nanoseconds(now))};
}

}  // namespace zetl::emulator::driver
