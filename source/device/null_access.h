// The device-access interface of a driver that offers nothing.
#pragma once

#include <ze_tools_layer/device_access.h>

namespace zetl::device {

/// It has no device, and every other function returns ZETL_UNSUPPORTED. Its sections replace those that a provider
/// lacks, so that callers never meet a null section.
const zetl_device_access_t& nullAccess() noexcept;

}  // namespace zetl::device
