// A launch that a list has recorded.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "nvidia/driver/program/kernel.h"

namespace zetl::nvidia {

/// A kernel with the state that it had when the launch was recorded, and with what it is launched with. Lists share
/// them with what they execute, so a change is made on a copy.
class RecordedLaunch {
  public:
    RecordedLaunch(std::shared_ptr<Kernel> kernel, const Extent& groups, bool cooperative)
        : kernel_(std::move(kernel)), state_(kernel_->state()), groups_(groups), cooperative_(cooperative) {}

    /// The stream's context must be current.
    Status submit(CUstream stream) const { return kernel_->launchWith(state_, stream, groups_, cooperative_); }

    // Changes, with the codes of the functions that set the same of a kernel.
    Status setArgument(std::uint32_t index, std::size_t size, const void* value) {
        return kernel_->setArgumentIn(state_, index, size, value);
    }
    Status setGroupSize(const Extent& size) { return kernel_->setGroupSizeIn(state_, size); }
    Status setGroupCount(const Extent& groups) {
        groups_ = groups;
        return ZE_RESULT_SUCCESS;
    }
    Status setGlobalOffset(const Extent& offset) { return kernel_->setGlobalOffsetIn(state_, offset); }
    /// With the state that it has now. INVALID_ARGUMENT if it was built for another device.
    Status setKernel(std::shared_ptr<Kernel> kernel);
    /// INVALID_ARGUMENT if a cooperative launch cannot be resident as a whole.
    Status check() const {
        return cooperative_ ? kernel_->checkCooperative(state_, groups_) : Status(ZE_RESULT_SUCCESS);
    }

  private:
    std::shared_ptr<Kernel> kernel_;
    KernelState state_;
    Extent groups_;
    const bool cooperative_;
};

}  // namespace zetl::nvidia
