// The functions zesDevice... of devices themselves.
#pragma once

#include <level_zero/zes_api.h>

#include "base/result.h"

namespace zetl::nvidia {

class Device;

Status describeForSysman(Device& device, zes_device_properties_t& out);
/// No reset is wanted, and repairs are not told.
void deviceState(zes_device_state_t& out) noexcept;
/// Generation and width of the link; -1 if NVML does not know them. Nothing counts what passes it.
Status describePciForSysman(Device& device, zes_pci_properties_t& out);
Status pciState(Device& device, zes_pci_state_t& out);

}  // namespace zetl::nvidia
