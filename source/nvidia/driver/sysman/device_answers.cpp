#include "nvidia/driver/sysman/device_answers.h"

#include "driver/output.h"
#include "nvidia/driver/device/device.h"
#include "nvidia/driver/sysman/monitored_device.h"
#include "nvidia/nvml/api.h"

namespace zetl::nvidia {
namespace {

using LinkNumber = int(NvmlDevice, unsigned*);

std::int32_t linkNumber(const std::optional<MonitoredDevice>& place, LinkNumber* function) noexcept {
    unsigned value = 0;
    return place && function(place->nvml, &value) == 0 ? static_cast<std::int32_t>(value) : kUnknown;
}

}  // namespace

Status describeForSysman(Device& device, zes_device_properties_t& out) {
    constexpr std::string_view kNotTold = "unknown";
    clearSysman(out);
    out.core.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
    const Status bad = device.getProperties(&out.core);
    if (bad != ZE_RESULT_SUCCESS) return bad;
    assign(out.serialNumber, kNotTold);
    assign(out.boardNumber, kNotTold);
    assign(out.brandName, kNotTold);
    assign(out.driverVersion, kNotTold);
    assign(out.modelName, device.attributes().name);
    assign(out.vendorName, "NVIDIA");
    return ZE_RESULT_SUCCESS;
}

void deviceState(zes_device_state_t& out) noexcept { clearSysman(out); }

Status describePciForSysman(Device& device, zes_pci_properties_t& out) {
    clearSysman(out);
    ze_pci_ext_properties_t core{};
    core.stype = ZE_STRUCTURE_TYPE_PCI_EXT_PROPERTIES;
    const Status bad = device.pciGetProperties(&core);
    if (bad != ZE_RESULT_SUCCESS) return bad;
    out.address = {core.address.domain, core.address.bus, core.address.device, core.address.function};
    const auto place = monitored(device);
    out.maxSpeed = {linkNumber(place, nvml().nvmlDeviceGetMaxPcieLinkGeneration),
                    linkNumber(place, nvml().nvmlDeviceGetMaxPcieLinkWidth), kUnknown};
    return ZE_RESULT_SUCCESS;
}

Status pciState(Device& device, zes_pci_state_t& out) {
    clearSysman(out);
    const auto place = monitored(device);
    out.status = ZES_PCI_LINK_STATUS_UNKNOWN;
    out.speed = {linkNumber(place, nvml().nvmlDeviceGetCurrPcieLinkGeneration),
                 linkNumber(place, nvml().nvmlDeviceGetCurrPcieLinkWidth), kUnknown};
    return ZE_RESULT_SUCCESS;
}

}  // namespace zetl::nvidia
