// Section "devices": identity, and threads, counted as in the core API.
#include "provider/devices.h"

#include <algorithm>

#include "core_api/known_devices.h"
#include "core_api/sections.h"

namespace zetl::core_api {
namespace {

constexpr std::uint32_t kAddressBits = 64;
constexpr const char* kChip = "core API";

void fillLevels(const ze_device_properties_t& device, zetl_device_info_t& info) {
    const std::pair<const char*, std::uint32_t> levels[] = {{"slice", device.numSlices},
                                                            {"subslice", device.numSubslicesPerSlice},
                                                            {"eu", device.numEUsPerSubslice},
                                                            {"thread", device.numThreadsPerEU}};
    for (const auto& [name, count] : levels) info.levels[info.level_count++] = {name, std::max(count, 1u)};
}

class DescribedDevices final : public provider::Devices<Backend> {
  public:
    void describe(Device& device, zetl_device_info_t& info) const override {
        const auto& properties = device.properties;
        info.vendor_id = properties.vendorId;
        info.parent = device.parent;
        info.parent_index = device.parentIndex;
        info.address_bits = kAddressBits;
        std::copy(std::begin(properties.uuid.id), std::end(properties.uuid.id), info.uuid);
        info.name = properties.name;
        info.chip = kChip;
        info.lanes = std::max(properties.physicalEUSimdWidth, 1u);
        fillLevels(properties, info);
        info.stop_scope = ZETL_SCOPE_DEVICE;
        info.query_kind = ZETL_QUERY_NONE;
        info.stream_scope = ZETL_SCOPE_PROCESS;
        info.together[ZETL_SOURCE_STREAM] = 1u << ZETL_SOURCE_STREAM;
    }
};

}  // namespace

const zetl_device_functions_t kDeviceFunctions = provider::DeviceTable<DescribedDevices>::kFunctions;

}  // namespace zetl::core_api
