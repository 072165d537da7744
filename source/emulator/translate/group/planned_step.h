// A step of a GroupPlan::Line, and what the plan says of it.
#pragma once

#include <optional>

#include "emulator/translate/held/host_code.h"
#include "emulator/translate/lanes/retire.h"
#include "emulator/translate/plan/group_plan.h"

namespace zetl::emulator::translate {

struct PlannedStep {
    const Step& m;
    const Meaning& what;
    Gaps gaps = Gaps::kept;
    bool leads = false;  ///< addresses of another message are made from its result
    Guard guard = Guard::none;
    std::optional<std::uint8_t> picked;  ///< the source that a selection by a flag takes

    /// That step of the line, whose meaning is known.
    static PlannedStep of(const GroupPlan::Line& line, std::size_t step);
};

}  // namespace zetl::emulator::translate
