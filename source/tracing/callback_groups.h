// The frozen table of 120 core callbacks (ze_callbacks_t), read as settings of single functions.
#pragma once

#include <level_zero/ze_api.h>

#include <vector>

#include "tracing/engine.h"

namespace zetl::tracing {

/// What setting the whole table means for one phase: one setting a member, null members included.
std::vector<CallbackSetting> settingsOf(const ze_callbacks_t& table, Phase phase);

}  // namespace zetl::tracing
