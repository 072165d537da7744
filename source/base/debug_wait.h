// How long the first launch of a process waits for a debugger.
#pragma once

#include <algorithm>
#include <chrono>

#include "base/settings.h"

namespace zetl {

/// The value of ZETL_DEBUG_WAIT, at most an hour; none if no debugger can attach.
inline std::chrono::milliseconds debugWait() {
    constexpr long kAnHour = 3'600'000;
    if (!settings::enabled(settings::kProgramDebugging)) return {};
    return std::chrono::milliseconds(std::clamp(settings::number(settings::kDebugWait).value_or(0), 0L, kAnHour));
}

}  // namespace zetl
