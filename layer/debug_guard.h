// Devices that a driver cannot debug, and on which it would crash.
//
// Intel's driver in its capture mode has devices without hardware behind them. Release 22.43 then crashes in
// zetDeviceGetDebugProperties, release 26.27 in zetDebugAttach. The layer checks first what a caller should know
// anyway: a device of that vendor without a PCI address has no operating-system interface, and a device that does not
// report attaching cannot be attached to. Real hardware is not affected by either check.
#pragma once

#include <optional>

#include "ze_tools_layer/level_zero.h"

namespace zetl::layer {

/// The answer to zetDeviceGetDebugProperties for a device without hardware: success, and no capability.
std::optional<ze_result_t> answerDebugProperties(zet_device_handle_t device,
                                                 zet_device_debug_properties_t* properties) noexcept;

/// UNSUPPORTED_FEATURE if zetDebugAttach is called on a device that does not offer it.
std::optional<ze_result_t> refuseAttach(zet_device_handle_t device) noexcept;

}  // namespace zetl::layer
