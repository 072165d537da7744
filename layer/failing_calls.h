// Calls that fail on purpose (ZETL_FAIL).
#pragma once

#include <level_zero/ze_api.h>

#include "ddi/route.h"

namespace zetl::layer {

/// If a rule of ZETL_FAIL concerns the function: from now on the program's calls of it pass the rules before they reach
/// the rest of the chain. Calls that the layer makes do not. The rules are read at the first call.
void letFail(ddi::Function function) noexcept;

/// What a call of zeInit passes before it reaches `next`, which differs from driver to driver.
ze_result_t failingInit(ze_result_t(ZE_APICALL* next)(ze_init_flags_t), ze_init_flags_t flags);

}  // namespace zetl::layer
