#include "nvidia/cuda/current.h"

#include "nvidia/cuda/api.h"

namespace zetl::nvidia {

Current::Current(CUcontext context) noexcept {
    CUcontext present = nullptr;
    if (cuda().cuCtxGetCurrent(&present) == CUDA_SUCCESS && present == context) return;
    pushed_ = cuda().cuCtxPushCurrent(context) == CUDA_SUCCESS;
}

Current::~Current() {
    CUcontext popped = nullptr;
    if (pushed_) cuda().cuCtxPopCurrent(&popped);
}

}  // namespace zetl::nvidia
