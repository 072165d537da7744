// The functions that append commands that take device time. Describes their arguments as data.
#pragma once

#include <ze_tools_layer/device_activity.h>

#include <span>

namespace zetl::activity {

/// Indices of arguments, from 0 on; the list is argument 0 of each function.
struct AppendFunction {
    const char* name;
    Work work;
    int signal;        ///< hSignalEvent
    int kernel = -1;   ///< hKernel
    int size = -1;     ///< bytes, a size_t
    int kernels = -1;  ///< numKernels, which phKernels follows
    int groups = -1;   ///< const ze_group_count_t*
    int shape = -1;    ///< groupCounts by value, which groupSizes follows
};

inline constexpr AppendFunction kAppendFunctions[] = {
    {"zeCommandListAppendLaunchKernel", Work::kernel, 3, 1, -1, -1, 2},
    {"zeCommandListAppendLaunchKernelWithParameters", Work::kernel, 4, 1, -1, -1, 2},
    {"zeCommandListAppendLaunchKernelWithArguments", Work::kernel, 6, 1, -1, -1, -1, 2},
    {"zeCommandListAppendLaunchCooperativeKernel", Work::kernel, 3, 1, -1, -1, 2},
    {"zeCommandListAppendLaunchKernelIndirect", Work::kernel, 3, 1},
    {"zeCommandListAppendLaunchMultipleKernelsIndirect", Work::kernel, 5, -1, -1, 1},
    {"zeCommandListAppendBarrier", Work::barrier, 1},
    {"zeCommandListAppendMemoryRangesBarrier", Work::barrier, 4},
    {"zeCommandListAppendMemoryCopy", Work::copy, 4, -1, 3},
    {"zeCommandListAppendMemoryCopyWithParameters", Work::copy, 5, -1, 3},
    {"zeCommandListAppendMemoryCopyFromContext", Work::copy, 5, -1, 4},
    {"zeCommandListAppendMemoryCopyRegion", Work::copy, 9},
    {"zeCommandListAppendMemoryFill", Work::fill, 5, -1, 4},
    {"zeCommandListAppendMemoryFillWithParameters", Work::fill, 6, -1, 4},
    {"zeCommandListAppendImageCopy", Work::imageCopy, 3},
    {"zeCommandListAppendImageCopyRegion", Work::imageCopy, 5},
    {"zeCommandListAppendImageCopyToMemory", Work::imageCopy, 4},
    {"zeCommandListAppendImageCopyFromMemory", Work::imageCopy, 4},
    {"zeCommandListAppendImageCopyToMemoryExt", Work::imageCopy, 6},
    {"zeCommandListAppendImageCopyFromMemoryExt", Work::imageCopy, 6},
};

}  // namespace zetl::activity
