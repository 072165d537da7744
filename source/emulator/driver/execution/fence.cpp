#include "emulator/driver/execution/fence.h"

#include "emulator/driver/execution/command_checks.h"
#include "emulator/driver/execution/command_queue.h"
#include "emulator/driver/execution/endless_waits.h"
#include "emulator/driver/execution/event.h"
#include "emulator/driver/execution/work_order.h"
#include "emulator/driver/program/printf_output.h"

namespace zetl::emulator::driver {

Result<std::shared_ptr<Fence>> Fence::create(std::shared_ptr<CommandQueue> queue, const ze_fence_desc_t& description) {
    if (description.flags & ~static_cast<ze_fence_flags_t>(ZE_FENCE_FLAG_SIGNALED))
        return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    auto fence = std::make_shared<Fence>(std::move(queue));
    if (description.flags & ZE_FENCE_FLAG_SIGNALED) fence->state_->signal({});
    return fence;
}

Status Fence::synchronize(std::uint64_t nanoseconds) const {
    if (nanoseconds == kForever) queue_->helpUntil(*state_);
    const Status status = codeOf(waitFor(*state_, nanoseconds));
    if (status == ZE_RESULT_SUCCESS) see();
    if (status == ZE_RESULT_SUCCESS) flushPrintf();
    return status;
}

Status Fence::query() const {
    const Status status = codeOf(state_->value());
    if (status == ZE_RESULT_SUCCESS) see();
    return status;
}

void Fence::see() const {
    HostWork::saw(state_->times().work);
    noteSeen(state_);
}

void Fence::reset() noexcept {
    noteReset(state_);
    state_->reset();
}

}  // namespace zetl::emulator::driver
