#include "device/catalogue.h"

#include "device/status.h"

namespace zetl::device {

std::vector<const zetl_counter_info_t*> catalogueOf(const Device& device) {
    const auto& counters = device.access().counters();
    std::uint32_t count = 0;
    if (answered(counters.catalog(device.info().chip, 0, nullptr, &count)) != ZETL_OK) return {};
    std::vector<const zetl_counter_info_t*> infos(count);
    if (answered(counters.catalog(device.info().chip, count, infos.data(), &count)) != ZETL_OK) return {};
    if (count < infos.size()) infos.resize(count);
    return infos;
}

}  // namespace zetl::device
