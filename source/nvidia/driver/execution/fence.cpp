#include "nvidia/driver/execution/fence.h"

namespace zetl::nvidia {

Result<std::shared_ptr<Fence>> Fence::create(std::shared_ptr<CommandQueue> queue, const ze_fence_desc_t& description) {
    if (description.flags & ~static_cast<ze_fence_flags_t>(ZE_FENCE_FLAG_SIGNALED))
        return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    auto words = SignalWords::create(queue->engine().place.work, 1);
    if (!words) return words.code();
    SignalWord word(*std::move(words), 0);
    word.set(description.flags & ZE_FENCE_FLAG_SIGNALED);
    return std::make_shared<Fence>(std::move(queue), std::move(word));
}

Status Fence::queryStatus() {
    const Status status = word_.query();
    return status == ZE_RESULT_NOT_READY && word_.work().clock.lost() ? ZE_RESULT_ERROR_DEVICE_LOST : status;
}

Status Fence::reset() {
    word_.set(false);
    return ZE_RESULT_SUCCESS;
}

}  // namespace zetl::nvidia
