// Maps refusals of the device-access interface to Level Zero results.
#pragma once

#include <level_zero/ze_api.h>
#include <ze_tools_layer/device_access.h>

namespace zetl::device {

/// The default mapping; a function whose specification wants another code for a case names it itself.
/// unsupported: UNSUPPORTED_FEATURE, busy and gone: NOT_AVAILABLE, needs privilege: INSUFFICIENT_PERMISSIONS,
/// not ready: NOT_READY, lost: DEVICE_LOST, no memory: OUT_OF_HOST_MEMORY, misuse: INVALID_ARGUMENT, anything else:
/// UNKNOWN.
ze_result_t resultOf(zetl_status_t status) noexcept;

/// Returns the status if it is the device's answer. Throws std::bad_alloc if the host had no memory to ask the device,
/// which says nothing about the device. For callers that keep the device's answer.
zetl_status_t answered(zetl_status_t status);

/// For log lines: "busy", "needs privilege", ...
const char* nameOf(zetl_status_t status) noexcept;

}  // namespace zetl::device
