#include "metrics/block_groups.h"

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
            .equation = std::string("$") + counter.name,
            .error = errorOfCounter(counter.name)};
}

GroupShape shapeOf(std::string_view block, const std::vector<Column>& counters,
                   zet_metric_group_sampling_type_flag_t sampling) {
    GroupShape shape;
    shape.name = block;
    shape.description = "Counters of one block of the device, in the device's own words";
    shape.domain = kOnlyDomain;
    shape.sampling = sampling;
    const auto frame = groupFrame(sampling);
    for (const auto* part : {&frame.first, &frame.last, &counters})
        shape.columns.insert(shape.columns.end(), part->begin(), part->end());
    return shape;
}

}  // namespace

std::vector<GroupShape> blockGroups(const device::Device& device) {
    std::map<std::string_view, std::vector<Column>> blocks;
    for (const auto* counter : device::catalogueOf(device)) blocks[counter->block].push_back(columnOf(*counter));
    std::vector<GroupShape> shapes;
    for (const auto& [block, counters] : blocks)
        for (const auto sampling :
             {ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_TIME_BASED, ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_EVENT_BASED})
            shapes.push_back(shapeOf(block, counters, sampling));
    return shapes;
}

}  // namespace zetl::metrics
