// The device-access interface of a driver that offers nothing.
#pragma once

#include <ze_tools_layer/device_access.h>

namespace zetl::device {

/// No device; every other question is answered with ZETL_UNSUPPORTED. Its sections stand in for those a provider lacks,
/// so that callers never meet a null section.
const zetl_device_access_t& nullAccess() noexcept;

}  // namespace zetl::device
