#include "nvidia/driver/program/recorded_launch.h"

#include <utility>

namespace zetl::nvidia {

Status RecordedLaunch::setKernel(std::shared_ptr<Kernel> kernel) {
    if (kernel->parts().module->place().device != kernel_->parts().module->place().device)
        return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the kernel's module was built for another device");
    state_ = kernel->state();
    kernel_ = std::move(kernel);
    return ZE_RESULT_SUCCESS;
}

}  // namespace zetl::nvidia
