#include "device/devices.h"

#include <algorithm>

#include "base/log.h"
#include "device/status.h"

namespace zetl::device {
namespace {

std::vector<zetl_device_t> listOf(const Access& access) {
    std::uint32_t count = 0;
    if (access.devices().list(0, nullptr, &count) != ZETL_OK) return {};
    std::vector<zetl_device_t> ids(count);
    if (access.devices().list(count, ids.data(), &count) != ZETL_OK) return {};
    ids.resize(std::min<std::size_t>(count, ids.size()));
    return ids;
}

}  // namespace

std::vector<Access> Devices::accesses() const {
    return content_.read([](const Content& content) { return content.accesses; });
}

void Devices::add(const Access& access) {
    content_.write([&](Content& content) { content.accesses.push_back(access); });
    for (const auto id : listOf(access)) {
        zetl_device_info_t info{};
        info.size = sizeof info;
        if (const auto status = access.devices().describe(id, &info); status != ZETL_OK) {
            log::error(log::Channel::layer, "device {} of {} is left out: describe says {}", id, access.provider(),
                       nameOf(status));
            continue;
        }
        content_.write(
            [&](Content& content) { content.devices.push_back(std::make_unique<Device>(access, id, info)); });
    }
}

Result<const Device*> Devices::find(ze_device_handle_t handle) {
    const auto known = content_.read([&](const Content& content) {
        const auto found = content.byHandle.find(handle);
        return found == content.byHandle.end() ? nullptr : found->second;
    });
    if (known) return known;
    ze_device_properties_t properties{};
    properties.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
    if (!core_.deviceGetProperties) return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    if (const auto result = core_.deviceGetProperties(handle, &properties); result != ZE_RESULT_SUCCESS) return result;
    return content_.write([&](Content& content) -> Result<const Device*> {
        for (const auto& device : content.devices)
            if (std::equal(device->uuid().begin(), device->uuid().end(), properties.uuid.id)) {
                content.byHandle.emplace(handle, device.get());
                return device.get();
            }
        return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    });
}

const Device* Devices::byUuid(const Uuid& uuid) const {
    return content_.read([&](const Content& content) -> const Device* {
        for (const auto& device : content.devices)
            if (device->uuid() == uuid) return device.get();
        return nullptr;
    });
}

}  // namespace zetl::device
