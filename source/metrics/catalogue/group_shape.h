// The ready-made metric groups: data files (groups/*.yaml), embedded, read once.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "metrics/calculation/descriptor.h"

namespace zetl::metrics {

/// Where a group's data come from.
enum class GroupSource : std::uint8_t {
    counters,             ///< the device's counters, as streams or queries
    instructionSampling,  ///< sampled instruction addresses with the reasons why threads wait there
    events,               ///< begin and end of commands, traced
    eventMemory,          ///< words that commands leave in memory that the group exports, traced
};

/// A group of one sampling type as defined in its file, for any device.
struct GroupShape {
    std::string name;
    std::string description;
    std::uint32_t domain = 0;  ///< groups of one domain exclude each other
    GroupSource source = GroupSource::counters;
    zet_metric_group_sampling_type_flag_t sampling = ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_EVENT_BASED;
    std::vector<std::string> needs;  ///< a device that counts none of these does not list the group; empty: any counter
    std::vector<Column> columns;
};

/// Of the files as the build puts them into the library: a group's time-based shape before its event-based one. Empty,
/// with a line in the log, if they cannot be read.
std::span<const GroupShape> groupShapes();

/// What every group of counters of that sampling type begins and ends with.
struct GroupFrame {
    std::vector<Column> first;
    std::vector<Column> last;
};
GroupFrame groupFrame(zet_metric_group_sampling_type_flag_t sampling);

/// What two files say: `metrics` is the vocabulary (groups/metrics.yaml), `group` a group made of it. Throws
/// DescriptionError.
std::vector<GroupShape> groupShapesFrom(std::string_view metrics, std::string_view group);

}  // namespace zetl::metrics
