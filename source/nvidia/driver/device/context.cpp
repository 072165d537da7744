#include "nvidia/driver/device/context.h"

#include <algorithm>

#include "nvidia/cuda/api.h"
#include "nvidia/cuda/current.h"

namespace zetl::nvidia {
namespace {

/// Lets the devices of a context reach each other's memory, where the hardware can.
void enablePeers(const std::vector<Context::Member>& members) {
    for (const auto& from : members) {
        const Current current(from.work->context);
        for (const auto& to : members)
            if (&from != &to) cuda().cuCtxEnablePeerAccess(to.work->context, 0);
    }
}

std::vector<CUdevice> ordinalsOf(const std::vector<Context::Member>& members) {
    std::vector<CUdevice> ordinals;
    for (const auto& member : members) ordinals.push_back(member.work->device);
    return ordinals;
}

}  // namespace

Context::Context(std::vector<Member> members)
    : members_(std::move(members)), usm_(members_.front().work), virtual_(ordinalsOf(members_)) {}

Result<std::shared_ptr<Context>> Context::create(std::vector<std::shared_ptr<Device>> devices) {
    std::vector<Member> members;
    for (auto& device : devices) {
        auto work = device->work();
        if (!work) return work.code();
        members.push_back({std::move(device), *std::move(work)});
    }
    enablePeers(members);
    return std::make_shared<Context>(std::move(members));
}

Result<Context::Member> Context::member(const Device& device) const {
    const auto own = std::find_if(members_.begin(), members_.end(),
                                  [&](const Member& candidate) { return candidate.device.get() == &device; });
    if (own != members_.end()) return *own;
    return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the device is not one of those the context was created for");
}

Status Context::getStatus() {
    const bool lost =
        std::any_of(members_.begin(), members_.end(), [](const Member& own) { return own.work->clock.lost(); });
    return lost ? ZE_RESULT_ERROR_DEVICE_LOST : ZE_RESULT_SUCCESS;
}

}  // namespace zetl::nvidia
