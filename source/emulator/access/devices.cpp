// Section "devices": topology and identity.
#include "provider/devices.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "base/never_destroyed.h"
#include "emulator/access/device_ref.h"
#include "emulator/access/sections.h"
#include "emulator/driver/device/driver.h"

namespace zetl::emulator::access {
namespace {

constexpr std::uint32_t kAddressBits = 57;

std::vector<driver::Device*> list() {
    std::vector<driver::Device*> all;
    for (const auto& root : driver::Driver::instance().devices()) {
        all.push_back(root.get());
        for (const auto& sub : root->subDevices()) all.push_back(sub.get());
    }
    return all;
}

/// Names live as long as the provider.
const std::string& nameOf(std::size_t index) {
    static NeverDestroyed<std::vector<std::string>> names([] {
        std::vector<std::string> all;
        for (const auto* device : devices()) all.push_back(device->name());
        return all;
    }());
    return (*names)[index];
}

void fillLevels(const driver::Device& device, zetl_device_info_t& info) {
    const auto& profile = device.profile();
    info.level_count = 4;
    info.levels[0] = {"slice", profile.slices * device.tiles()};
    info.levels[1] = {"subslice", profile.subslicesPerSlice};
    info.levels[2] = {"eu", profile.eusPerSubslice};
    info.levels[3] = {"thread", profile.threadsPerEu};
}

class EmulatedDevices final : public provider::Devices<Backend> {
  public:
    void describe(Device& device, zetl_device_info_t& info) const override {
        static const char* const kInputs[] = {"spirv", "zebin", "patch-tokens"};
        info.vendor_id = device.profile().vendorId;
        info.parent = device.parent() ? idOf(*device.parent()) : 0;
        info.parent_index = device.firstTile();
        info.address_bits = kAddressBits;
        const auto uuid = device.uuid();
        std::memcpy(info.uuid, uuid.id, sizeof info.uuid);
        info.name = nameOf(idOf(device) - 1).c_str();
        info.chip = device.profile().architecture().chip;
        info.lanes = device.profile().architecture().widestThread();
        fillLevels(device, info);
        info.stop_scope = ZETL_SCOPE_THREAD;
        info.target_places = ZETL_TARGET_OWN_PROCESS;  // other processes through their debug agent
        info.query_kind = ZETL_QUERY_IN_STREAM;
        info.stream_scope = ZETL_SCOPE_DEVICE;
        for (auto& together : info.together)
            together = (1u << ZETL_SOURCE_QUERY) | (1u << ZETL_SOURCE_STREAM) | (1u << ZETL_SOURCE_SAMPLING);
        constexpr std::uint64_t kMega = 1'000'000;
        info.core_clock_hz = device.profile().coreClockMhz * kMega;
        info.program_input_count = std::size(kInputs);
        info.program_inputs = kInputs;
    }
};

}  // namespace

const std::vector<driver::Device*>& devices() {
    static NeverDestroyed<std::vector<driver::Device*>> all(list());
    return *all;
}

driver::Device* deviceOf(zetl_device_t id) { return id == 0 || id > devices().size() ? nullptr : devices()[id - 1]; }

zetl_device_t idOf(const driver::Device& device) {
    const auto& all = devices();
    return static_cast<zetl_device_t>(std::find(all.begin(), all.end(), &device) - all.begin()) + 1;
}

const zetl_device_functions_t kDeviceFunctions = provider::DeviceTable<EmulatedDevices>::kFunctions;

}  // namespace zetl::emulator::access
