#include "nvidia/driver/execution/backlog.h"

#include "nvidia/cuda/api.h"

namespace zetl::nvidia {

void Backlog::destroy() noexcept {
    for (const Mark& each : marks_)
        if (each.event) cuda().cuEventDestroy(each.event);
    marks_ = {};
}

void Backlog::mark(CUstream stream) noexcept {
    Mark& mark = marks_[next_];
    if (!mark.event && cuda().cuEventCreate(&mark.event, CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS) mark.event = nullptr;
    mark.set = mark.event && cuda().cuEventRecord(mark.event, stream) == CUDA_SUCCESS;
    next_ = (next_ + 1) % marks_.size();
}

bool Backlog::isLong() const noexcept {
    const Mark& older = marks_[next_];
    return older.set && cuda().cuEventQuery(older.event) == CUDA_ERROR_NOT_READY;
}

}  // namespace zetl::nvidia
