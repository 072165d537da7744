// An order between two streams, without an event of the application.
#pragma once

#include <cuda.h>

#include <atomic>
#include <memory>

#include "base/result.h"
#include "nvidia/driver/device/device.h"

namespace zetl::nvidia {

/// What one stream has when append() is called comes before what follows appendWait() on another. CUDA keeps what both
/// need, so it may go before they have run. The append functions expect the stream's context to be current.
class StreamOrder {
  public:
    static Result<std::shared_ptr<StreamOrder>> create(std::shared_ptr<Device::Work> work);
    StreamOrder(std::shared_ptr<Device::Work> work, CUevent event) : work_(std::move(work)), event_(event) {}
    ~StreamOrder();
    StreamOrder(const StreamOrder&) = delete;
    StreamOrder& operator=(const StreamOrder&) = delete;

    Status append(CUstream stream) noexcept;
    Status appendWait(CUstream stream) const noexcept;
    /// True once append() was called.
    bool isComing() const noexcept { return coming_.load(); }

  private:
    const std::shared_ptr<Device::Work> work_;
    const CUevent event_;
    std::atomic<bool> coming_{false};
};

}  // namespace zetl::nvidia
