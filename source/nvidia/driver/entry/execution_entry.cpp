// zeCommandQueue..., zeFence..., zeEventPool..., zeEvent...
#include "driver/method.h"
#include "nvidia/driver/entry/rows.h"
#include "nvidia/driver/execution/command_queue.h"
#include "nvidia/driver/execution/event.h"
#include "nvidia/driver/execution/fence.h"

namespace zetl::nvidia {

driver::Rows executionRows() noexcept {
    static const driver::Served rows[] = {
        ZETL_DESTROYS(zeCommandQueueDestroy, CommandQueue),
        ZETL_METHOD(zeCommandQueueExecuteCommandLists, &CommandQueue::executeCommandLists, 1),
        ZETL_METHOD(zeCommandQueueSynchronize, &CommandQueue::synchronize),
        ZETL_METHOD(zeCommandQueueGetOrdinal, &CommandQueue::getOrdinal, 0),
        ZETL_METHOD(zeCommandQueueGetIndex, &CommandQueue::getIndex, 0),
        ZETL_METHOD(zeFenceCreate, &CommandQueue::createFence, 0, 1),
        ZETL_DESTROYS(zeFenceDestroy, Fence),
        ZETL_METHOD(zeFenceHostSynchronize, &Fence::hostSynchronize),
        ZETL_METHOD(zeFenceQueryStatus, &Fence::queryStatus),
        ZETL_METHOD(zeFenceReset, &Fence::reset),
        ZETL_DESTROYS(zeEventPoolDestroy, EventPool),
        ZETL_METHOD(zeEventCreate, &EventPool::createEvent, 0, 1),
        ZETL_METHOD(zeEventPoolGetContextHandle, &EventPool::getContext, 0),
        ZETL_METHOD(zeEventPoolGetFlags, &EventPool::getFlags, 0),
        ZETL_DESTROYS(zeEventDestroy, Event),
        ZETL_METHOD(zeEventHostSignal, &Event::hostSignal),
        ZETL_METHOD(zeEventHostReset, &Event::hostReset),
        ZETL_METHOD(zeEventHostSynchronize, &Event::hostSynchronize),
        ZETL_METHOD(zeEventQueryStatus, &Event::queryStatus),
        ZETL_METHOD(zeEventQueryKernelTimestamp, &Event::queryKernelTimestamp, 0),
        ZETL_METHOD(zeEventQueryTimestampsExp, &Event::queryTimestamps, 1),
        ZETL_METHOD(zeEventGetEventPool, &Event::getEventPool, 0),
        ZETL_METHOD(zeEventGetSignalScope, &Event::getSignalScope, 0),
        ZETL_METHOD(zeEventGetWaitScope, &Event::getWaitScope, 0),
    };
    return rows;
}

}  // namespace zetl::nvidia
