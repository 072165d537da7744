// zeCommandList...
#include "driver/method.h"
#include "nvidia/driver/entry/rows.h"
#include "nvidia/driver/execution/command_list.h"

namespace zetl::nvidia {

driver::Rows listRows() noexcept {
    static const driver::Served rows[] = {
        ZETL_DESTROYS(zeCommandListDestroy, CommandList),
        ZETL_METHOD(zeCommandListClose, &CommandList::close),
        ZETL_METHOD(zeCommandListReset, &CommandList::reset),
        ZETL_METHOD(zeCommandListHostSynchronize, &CommandList::hostSynchronize),
        ZETL_METHOD(zeCommandListImmediateAppendCommandListsExp, &CommandList::appendLists, 1),
        ZETL_METHOD(zeCommandListGetDeviceHandle, &CommandList::getDevice, 0),
        ZETL_METHOD(zeCommandListGetContextHandle, &CommandList::getContext, 0),
        ZETL_METHOD(zeCommandListGetOrdinal, &CommandList::getOrdinal, 0),
        ZETL_METHOD(zeCommandListImmediateGetIndex, &CommandList::getIndex, 0),
        ZETL_METHOD(zeCommandListIsImmediate, &CommandList::isImmediate, 0),
        ZETL_METHOD(zeCommandListAppendMemoryCopy, &CommandList::appendMemoryCopy, 0, 1),
        ZETL_METHOD(zeCommandListAppendMemoryCopyFromContext, &CommandList::appendMemoryCopyFromContext, 0, 2),
        ZETL_METHOD(zeCommandListAppendMemoryCopyRegion, &CommandList::appendMemoryCopyRegion, 0, 1, 4, 5),
        ZETL_METHOD(zeCommandListAppendMemoryFill, &CommandList::appendMemoryFill, 0, 1),
        ZETL_METHOD(zeCommandListAppendMemoryCopyWithParameters, &CommandList::appendMemoryCopyWithParameters, 0, 1),
        ZETL_METHOD(zeCommandListAppendMemoryFillWithParameters, &CommandList::appendMemoryFillWithParameters, 0, 1),
        ZETL_METHOD(zeCommandListAppendHostFunction, &CommandList::appendHostFunction),
        ZETL_METHOD(zeCommandListAppendMemoryPrefetch, &CommandList::appendMemoryPrefetch, 0),
        ZETL_METHOD(zeCommandListAppendMemAdvise, &CommandList::appendMemAdvise),
        ZETL_METHOD(zeCommandListAppendBarrier, &CommandList::appendBarrier),
        ZETL_METHOD(zeCommandListAppendMemoryRangesBarrier, &CommandList::appendMemoryRangesBarrier, 1, 2),
        ZETL_METHOD(zeCommandListAppendSignalEvent, &CommandList::appendSignalEvent),
        ZETL_METHOD(zeCommandListAppendWaitOnEvents, &CommandList::appendWaitOnEvents, 1),
        ZETL_METHOD(zeCommandListAppendEventReset, &CommandList::appendEventReset),
        ZETL_METHOD(zeCommandListAppendQueryKernelTimestamps, &CommandList::appendQueryKernelTimestamps, 1, 2),
        ZETL_METHOD(zeCommandListAppendWriteGlobalTimestamp, &CommandList::appendWriteGlobalTimestamp, 0),
        ZETL_METHOD(zeCommandListAppendLaunchKernel, &CommandList::appendLaunchKernel),
        ZETL_METHOD(zeCommandListAppendLaunchCooperativeKernel, &CommandList::appendLaunchCooperativeKernel),
        ZETL_METHOD(zeCommandListAppendLaunchKernelWithParameters, &CommandList::appendLaunchKernelWithParameters),
    };
    return rows;
}

}  // namespace zetl::nvidia
