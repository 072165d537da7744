// Section "devices": topology and identity.
#include "provider/devices.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/never_destroyed.h"
#include "nvidia/access/chip_name.h"
#include "nvidia/access/device_ref.h"
#include "nvidia/access/sections.h"
#include "nvidia/debugger/gdb.h"
#include "nvidia/driver/device/driver.h"

namespace zetl::nvidia::access {
namespace {

constexpr std::uint32_t kVendor = 0x10de;
constexpr std::uint32_t kAddressBits = 57;

std::uint32_t count(int value) noexcept { return static_cast<std::uint32_t>(std::max(value, 1)); }

void fillLevels(const Attributes& device, zetl_device_info_t& info) {
    info.level_count = 4;
    info.levels[0] = {"slice", 1};
    info.levels[1] = {"sm", count(device.multiprocessors)};
    info.levels[2] = {"sub-partition", kSubPartitions};
    info.levels[3] = {"warp",
                      std::max(count(device.threadsPerMultiprocessor) / count(device.warp) / kSubPartitions, 1u)};
}

std::uint32_t debuggerPlaces() {
    static const bool hasDebugger = !findCudaGdb().empty();
    return hasDebugger ? ZETL_TARGET_OTHER_PROCESS : 0;
}

class NvidiaDevices final : public provider::Devices<Backend> {
  public:
    void describe(Device& device, zetl_device_info_t& info) const override {
        static const char* const kInputs[] = {"ptx", "cubin", "fatbin"};
        const auto& attributes = device.attributes();
        info.vendor_id = kVendor;
        info.address_bits = kAddressBits;
        std::memcpy(info.uuid, attributes.uuid.data(), sizeof info.uuid);
        info.name = attributes.name.c_str();
        info.chip = chipOf(device).c_str();
        info.lanes = count(attributes.warp);
        fillLevels(attributes, info);
        info.stop_scope = ZETL_SCOPE_PROCESS;
        info.target_places = debuggerPlaces();
#ifdef ZETL_NVIDIA_COUNTERS
        info.query_kind = ZETL_QUERY_HOST_BRACKETED;
#endif
        info.stream_scope = ZETL_SCOPE_DEVICE;
        // Ranges, samples and instruction samples exclude each other, and each itself in another process; `together`
        // stays empty.
        info.core_clock_hz = static_cast<std::uint64_t>(std::max(attributes.clockKilohertz, 0)) * 1000;
        info.program_input_count = std::size(kInputs);
        info.program_inputs = kInputs;
    }
};

}  // namespace

std::span<const std::shared_ptr<Device>> devices() {
    const auto driver = Driver::instance();
    if (!driver) return {};
    return (*driver)->devices();
}

Device* deviceOf(zetl_device_t id) {
    const auto all = devices();
    return id == 0 || id > all.size() ? nullptr : all[id - 1].get();
}

zetl_device_t idOf(const Device& device) {
    const auto all = devices();
    const auto place = std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.get() == &device; });
    return static_cast<zetl_device_t>(place - all.begin()) + 1;
}

const std::string& chipOf(const Device& device) {
    static NeverDestroyed<std::vector<std::string>> names([] {
        std::vector<std::string> all;
        for (const auto& each : devices()) all.push_back(chipNameOf(*each));
        return all;
    }());
    return (*names)[idOf(device) - 1];
}

const zetl_device_functions_t kDeviceFunctions = provider::DeviceTable<NvidiaDevices>::kFunctions;

}  // namespace zetl::nvidia::access
