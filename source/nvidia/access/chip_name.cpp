#include "nvidia/access/chip_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/log.h"
#include "base/settings.h"

#ifdef ZETL_NVIDIA_COUNTERS
#include "nvidia/cupti/api.h"
#include "nvidia/cupti/result.h"
#endif

namespace zetl::nvidia::access {
namespace {

struct Capability {
    int major;
    int minor;
    const char* chip;
};
constexpr Capability kCapabilities[] = {{7, 0, "GV100"}, {7, 5, "TU102"}, {8, 0, "GA100"},  {8, 6, "GA102"},
                                        {8, 9, "AD102"}, {9, 0, "GH100"}, {10, 0, "GB100"}, {12, 0, "GB202"}};

std::string chipByCapability(const Attributes& device) {
    const auto* const row =
        std::find_if(std::begin(kCapabilities), std::end(kCapabilities),
                     [&](const Capability& each) { return each.major == device.major && each.minor == device.minor; });
    return row == std::end(kCapabilities) ? fmt::format("sm_{}{}", device.major, device.minor) : row->chip;
}

}  // namespace

#ifdef ZETL_NVIDIA_COUNTERS
std::string chipByCupti(const Device& device) {
    if (const auto& problem = openCupti(); !problem.empty()) {
        log::warn(log::Channel::nvidia, "{}: no counters: {}", device.attributes().name, problem);
        return {};
    }
    ZETL_CUPTI_PARAMS(CUpti_Device_GetChipName, ask);
    ask.deviceIndex = static_cast<std::size_t>(device.ordinal());
    return ZETL_CUPTI(cuptiDeviceGetChipName(&ask)) == ZETL_OK && ask.pChipName ? ask.pChipName : "";
}
#endif

std::string chipNameOf(const Device& device) {
#ifdef ZETL_NVIDIA_COUNTERS
    if (settings::enabled(settings::kMetrics))
        if (auto name = chipByCupti(device); !name.empty()) return name;
#endif
    return chipByCapability(device.attributes());
}

}  // namespace zetl::nvidia::access
