// Translates CUPTI's results to statuses of device access.
#pragma once

#include <cupti_result.h>
#include <ze_tools_layer/device_access.h>

namespace zetl::nvidia {

/// Returns ZETL_OK, or the status that corresponds to the result. A failure is logged with the call, CUPTI's
/// description and, if there is one, the remedy. `call` is the call's source text.
zetl_status_t checkCupti(CUptiResult result, const char* call) noexcept;

/// Calls a function of libcupti by its name and checks the answer.
#define ZETL_CUPTI(call) ::zetl::nvidia::checkCupti(::zetl::nvidia::cupti().call, #call)

}  // namespace zetl::nvidia
