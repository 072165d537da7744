#include "metrics/block_templates.h"

#include <map>
#include <string_view>

#include "device/catalogue.h"

namespace zetl::metrics {
namespace {

constexpr std::uint32_t kOnlyDomain = 0;

Column columnOf(const zetl_counter_info_t& counter) {
    return {.name = counter.name,
            .description = counter.description,
            .units = counter.unit,
            .component = counter.block,
            .type = counter.kind == ZETL_COUNTER_DELTA ? ZET_METRIC_TYPE_EVENT : ZET_METRIC_TYPE_RAW,
            .value = ZET_VALUE_TYPE_UINT64,
            .formula = Formula::counter,
            .counter = counter.name};
}

}  // namespace

BlockTemplates blockTemplates(const device::Device& device) {
    std::map<std::string_view, std::vector<Column>> blocks;
    for (const auto* counter : device::catalogueOf(device)) {
        auto& columns = blocks[counter->block];
        if (columns.empty()) columns.assign(columnsOfEveryGroup().begin(), columnsOfEveryGroup().end());
        columns.push_back(columnOf(*counter));
    }
    BlockTemplates made;
    for (auto& [block, columns] : blocks) {
        made.columns.push_back(std::move(columns));
        made.templates.push_back({.name = block.data(),
                                  .description = "Counters of one block of the device, in the device's own words",
                                  .domain = kOnlyDomain,
                                  .columns = made.columns.back()});
    }
    return made;
}

}  // namespace zetl::metrics
