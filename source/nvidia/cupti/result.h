// What CUPTI answers, as device access says it.
#pragma once

#include <cupti_result.h>
#include <ze_tools_layer/device_access.h>

namespace zetl::nvidia {

/// ZETL_OK, or the status that stands for the answer, with a log line that names the call, CUPTI's word and, where
/// there is one, the remedy. `call` is the call's source text.
zetl_status_t checkCupti(CUptiResult result, const char* call) noexcept;

/// Calls a function of libcupti by its name and checks the answer.
#define ZETL_CUPTI(call) ::zetl::nvidia::checkCupti(::zetl::nvidia::cupti().call, #call)

}  // namespace zetl::nvidia
