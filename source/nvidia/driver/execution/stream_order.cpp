#include "nvidia/driver/execution/stream_order.h"

#include "nvidia/cuda/api.h"
#include "nvidia/cuda/current.h"
#include "nvidia/cuda/result.h"

namespace zetl::nvidia {

Result<std::shared_ptr<StreamOrder>> StreamOrder::create(std::shared_ptr<Device::Work> work) {
    const Current current(work->context);
    CUevent event = nullptr;
    const Status bad = ZETL_CUDA(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    if (bad != ZE_RESULT_SUCCESS) return bad;
    return std::make_shared<StreamOrder>(std::move(work), event);
}

StreamOrder::~StreamOrder() {
    const Current current(work_->context);
    cuda().cuEventDestroy(event_);
}

Status StreamOrder::append(CUstream stream) noexcept {
    const Status status = ZETL_CUDA(cuEventRecord(event_, stream));
    coming_.store(true);  // what waits must go on in any case
    return status;
}

Status StreamOrder::appendWait(CUstream stream) const noexcept {
    return ZETL_CUDA(cuStreamWaitEvent(stream, event_, 0));
}

}  // namespace zetl::nvidia
