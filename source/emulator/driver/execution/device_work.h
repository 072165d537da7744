// zeDeviceSynchronize.
#pragma once

#include "base/result.h"

namespace zetl::emulator::driver {

class Device;

/// Waits for the work of every queue and immediate list on the device, or on one of its tiles if it is a root device.
Status synchronizeDevice(Device& device);

}  // namespace zetl::emulator::driver
