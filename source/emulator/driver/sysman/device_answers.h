// The functions zesDriver... and zesDevice...
#pragma once

#include <level_zero/zes_api.h>

#include <array>
#include <cstdint>

#include "base/result.h"

namespace zetl::emulator::driver {

class Device;
class Driver;

void describeForSysman(Device& device, zes_device_properties_t& out);
void describePciForSysman(Device& device, zes_pci_properties_t& out);
/// Device and sub-device of that identity; INVALID_ARGUMENT if there is none.
Status deviceByUuid(Driver& driver, const zes_uuid_t& uuid, zes_device_handle_t& out, ze_bool_t& onSubdevice,
                    std::uint32_t& subdeviceId);
Status listSubDevices(Device& device, std::uint32_t* count, zes_subdevice_exp_properties_t* out);
/// Those of the user that have, or had, a queue of the device, this one first. Others are seen where they have a pid in
/// this process's namespace.
Status listProcesses(Device& device, std::uint32_t* count, zes_process_state_t* out);
void deviceState(zes_device_state_t& out) noexcept;
void pciState(zes_pci_state_t& out) noexcept;
/// The windows through which the host reaches registers and memory; without addresses, because there is no bus.
Status listBars(Device& device, std::uint32_t* count, zes_pci_bar_properties_t* out);
/// Bytes that copies moved between the memory of the host and that of the device, which must have its own:
/// UNSUPPORTED_FEATURE for an integrated one.
Status pciStatistics(Device& device, zes_pci_stats_t& out);

/// A list of what the emulated device has none of.
template <class T>
std::array<T, 0> none() noexcept {
    return {};
}

/// The answer to questions about abilities that the device lacks: error correction, say, in memory that cannot fail.
inline ze_bool_t lacking() noexcept { return false; }

}  // namespace zetl::emulator::driver
