// What libzetl_queries.so writes for `zetl metrics query`: one block of lines per process, with fields separated by
// tabs. If the device's clock cycles are those of a model, the block begins with a line kQueryDevice of numbers about
// the device, in the order of DeviceNumber. The next line begins with kQueryHead and names the columns. Each other line
// is a kernel, or a launch: its name, how many launches were measured, and the values.
#pragma once

#include <cstddef>

namespace zetl::command {

inline constexpr const char* kQueryFileVariable = "ZETL_QUERY_FILE";  // where it goes; unset: nothing is measured
inline constexpr const char* kQueryGroupVariable =
    "ZETL_QUERY_GROUP";  // event-based groups, separated by commas; unset: the device's summary
inline constexpr const char* kQueryPerLaunchVariable = "ZETL_QUERY_PER_LAUNCH";  // 1: one line per launch
inline constexpr char kQueryHead = '#';
inline constexpr char kQueryDevice = '@';

/// Sub-slices and memory are those of all tiles.
enum DeviceNumber : std::size_t {
    coreMegahertz,
    subslices,
    enginesPerSubslice,
    threadsPerEngine,
    memoryBytesPerNanosecond,
    localBytes,       ///< of a sub-slice
    l1BytesPerCycle,  ///< that L1 moves for a sub-slice
    doubleLanes,      ///< reals of 64 bits that an engine computes at once
    kDeviceNumbers
};

}  // namespace zetl::command
