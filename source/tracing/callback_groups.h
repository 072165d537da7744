// The frozen table of 120 core callbacks (ze_callbacks_t), translated to settings of single functions.
#pragma once

#include <level_zero/ze_api.h>

#include <vector>

#include "tracing/engine.h"

namespace zetl::tracing {

/// The settings that setting the whole table for one phase means: one per member, null members included.
std::vector<CallbackSetting> settingsOf(const ze_callbacks_t& table, Phase phase);

}  // namespace zetl::tracing
