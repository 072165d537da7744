// The state of Emitter::emitLinear() while it emits the loop for threads whose addresses are single numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "emulator/translate/held/emitter.h"
#include "emulator/translate/held/linear_lanes.h"
#include "emulator/translate/held/offset_lanes.h"

namespace zetl::emulator::translate {

inline Extent elements(std::uint64_t place, std::uint32_t bytes, std::uint32_t stride, std::uint32_t count) {
    return {static_cast<std::uint32_t>(place), bytes, bytes * stride, count};
}
/// A constant that is the same for all lanes.
std::optional<Linear> constantAt(std::uint64_t where, std::uint32_t bytes, std::uint32_t count);

struct Emitter::LinearLoop {
    LinearLoop(LinearLanes&& held, const Label& refused) : lanes(std::move(held)), otherwise(refused) {}
    LinearLanes lanes;
    OffsetLanes offsets;
    Label otherwise;
    const GroupPlan::Line* line = nullptr;
    bool firstIds = true;                                     ///< the next work-item ids that are loaded are the first
    std::vector<std::pair<std::uint32_t, std::int64_t>> ids;  ///< places of ids, and the step by which they should grow
    bool runs = false;                                        ///< an access has successive addresses
};

}  // namespace zetl::emulator::translate
