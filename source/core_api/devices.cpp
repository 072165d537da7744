// Section "devices": identity, and threads, counted as in the core API.
#include <algorithm>
#include <numeric>

#include "core_api/known_devices.h"
#include "core_api/sections.h"
#include "provider/filled.h"
#include "provider/listing.h"

namespace zetl::core_api {
namespace {

constexpr std::uint32_t kAddressBits = 64;
constexpr const char* kChip = "core API";

zetl_status_t listDevices(std::uint32_t capacity, zetl_device_t* ids, std::uint32_t* count) noexcept {
    return guarded([&] {
        std::vector<zetl_device_t> all(known().all.size());
        std::iota(all.begin(), all.end(), zetl_device_t{1});
        return provider::list(all, capacity, ids, count);
    });
}

void fillLevels(const ze_device_properties_t& device, zetl_device_info_t& info) {
    const std::pair<const char*, std::uint32_t> levels[] = {{"slice", device.numSlices},
                                                            {"subslice", device.numSubslicesPerSlice},
                                                            {"eu", device.numEUsPerSubslice},
                                                            {"thread", device.numThreadsPerEU}};
    for (const auto& [name, count] : levels) info.levels[info.level_count++] = {name, std::max(count, 1u)};
}

zetl_status_t describe(zetl_device_t id, zetl_device_info_t* info) noexcept {
    return guarded([&] {
        const auto* const device = deviceOf(id);
        if (!device) return ZETL_GONE;
        if (!provider::canBeFilled(info)) return ZETL_MISUSE;
        const auto& properties = device->properties;
        *info = {};
        info->size = sizeof *info;
        info->vendor_id = properties.vendorId;
        info->parent = device->parent;
        info->parent_index = device->parentIndex;
        info->address_bits = kAddressBits;
        std::copy(std::begin(properties.uuid.id), std::end(properties.uuid.id), info->uuid);
        info->name = properties.name;
        info->chip = kChip;
        info->lanes = std::max(properties.physicalEUSimdWidth, 1u);
        fillLevels(properties, *info);
        info->stop_scope = ZETL_SCOPE_DEVICE;
        info->query_kind = ZETL_QUERY_NONE;
        info->stream_scope = ZETL_SCOPE_PROCESS;
        info->together[ZETL_SOURCE_STREAM] = 1u << ZETL_SOURCE_STREAM;
        return ZETL_OK;
    });
}

}  // namespace

const zetl_device_functions_t kDeviceFunctions = {
    .size = sizeof kDeviceFunctions,
    .reserved = 0,
    .list = listDevices,
    .describe = describe,
};

}  // namespace zetl::core_api
