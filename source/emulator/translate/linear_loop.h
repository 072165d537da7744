// What Emitter::emitLinear() knows while it emits the loop for threads whose addresses are single numbers.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "emulator/translate/emitter.h"
#include "emulator/translate/linear_lanes.h"
#include "emulator/translate/offset_lanes.h"

namespace zetl::emulator::translate {

struct Emitter::LinearLoop {
    LinearLoop(LinearLanes&& held, const Label& refused) : lanes(std::move(held)), otherwise(refused) {}
    LinearLanes lanes;
    OffsetLanes offsets;
    Label otherwise;
    const GroupPlan::Line* line = nullptr;
    bool firstIds = true;                                     ///< of work-items, the next that are loaded
    std::vector<std::pair<std::uint32_t, std::int64_t>> ids;  ///< places of such, and what they should grow by
    bool runs = false;                                        ///< an access runs on
};

}  // namespace zetl::emulator::translate
