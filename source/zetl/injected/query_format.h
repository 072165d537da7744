// What libzetl_queries.so writes for `zetl metrics query`: a block of lines a process, fields divided by tabs. The
// first line begins with kHead and names the columns; each other one is a kernel, or a launch: its name, how many
// launches were measured, and the values.
#pragma once

namespace zetl::command {

inline constexpr const char* kQueryFileVariable = "ZETL_QUERY_FILE";  // where it goes; unset: nothing is measured
inline constexpr const char* kQueryGroupVariable =
    "ZETL_QUERY_GROUP";  // an event-based group; unset: the device's summary
inline constexpr const char* kQueryPerLaunchVariable = "ZETL_QUERY_PER_LAUNCH";  // 1: one line per launch
inline constexpr char kQueryHead = '#';

}  // namespace zetl::command
