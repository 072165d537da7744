// The ready-made metric groups: embedded data files (groups/*.yaml), read once.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "metrics/calculation/descriptor.h"

namespace zetl::metrics {

/// The source of a group's data.
enum class GroupSource : std::uint8_t {
    counters,             ///< the device's counters, as streams or queries
    instructionSampling,  ///< sampled instruction addresses, and the reasons why threads wait there
    events,               ///< traced begins and ends of commands
    eventMemory,          ///< traced words that commands write to memory that the group exports
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

/// The shapes from the embedded files: a group's time-based shape before its event-based one. Empty, with a line in the
/// log, if the files cannot be read.
std::span<const GroupShape> groupShapes();

/// Column::error of the counter where a group shows it as it is counted.
std::string errorOfCounter(std::string_view counter);

/// The first and last columns of every group of counters of that sampling type.
struct GroupFrame {
    std::vector<Column> first;
    std::vector<Column> last;
};
GroupFrame groupFrame(zet_metric_group_sampling_type_flag_t sampling);

}  // namespace zetl::metrics
