#include "emulator/driver/sysman/engine_group.h"

namespace zetl::emulator::driver {

void EngineGroup::describe(zes_engine_properties_t& out) const noexcept {
    out.type = ZES_ENGINE_GROUP_COMPUTE_ALL;
    place_.place(out);
}

zes_engine_stats_t EngineGroup::activity() const {
    const auto busy = place_.tile().busyTime();
    return {microseconds(busy), sampleTime()};
}

}  // namespace zetl::emulator::driver
