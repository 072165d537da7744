#include "nvidia/driver/device/device.h"

#include "nvidia/cuda/api.h"
#include "nvidia/cuda/current.h"
#include "nvidia/cuda/result.h"

namespace zetl::nvidia {

Result<std::shared_ptr<Device>> Device::create(int ordinal) {
    CUdevice device = 0;
    if (const Status bad = ZETL_CUDA(cuDeviceGet(&device, ordinal)); bad != ZE_RESULT_SUCCESS) return bad;
    auto attributes = attributesOf(device);
    if (!attributes) return attributes.code();
    return std::make_shared<Device>(device, *std::move(attributes));
}

Device::Device(CUdevice device, Attributes attributes) : device_(device), attributes_(std::move(attributes)) {}

Device::Work::~Work() {
    clock.close();
    cuda().cuDevicePrimaryCtxRelease(device);
}

Result<std::shared_ptr<Device::Work>> Device::work() {
    const Lock guard(mutex_);
    if (auto present = work_.lock()) return present;
    CUcontext primary = nullptr;
    const Status bad = ZETL_CUDA(cuDevicePrimaryCtxRetain(&primary, device_));
    if (bad != ZE_RESULT_SUCCESS) return bad;
    auto started = std::make_shared<Work>(device_, primary);
    work_ = started;
    return started;
}

Status Device::getSubDevices(std::uint32_t* count, ze_device_handle_t*) {
    *count = 0;
    return ZE_RESULT_SUCCESS;
}

Status Device::getRootDevice(ze_device_handle_t* root) {
    *root = nullptr;
    return ZE_RESULT_SUCCESS;
}

Status Device::getStatus() {
    std::shared_ptr<Work> present;
    {
        const Lock guard(mutex_);
        present = work_.lock();
    }
    if (!present) return ZE_RESULT_SUCCESS;
    return present->clock.lost() ? ZE_RESULT_ERROR_DEVICE_LOST : ZE_RESULT_SUCCESS;
}

Status Device::getGlobalTimestamps(std::uint64_t* host, std::uint64_t* device) {
    const auto present = work();
    if (!present) return present.code();
    const auto pair = (*present)->clock.now();
    if (!pair) return pair.code();
    *host = pair->host;
    *device = pair->device;
    return ZE_RESULT_SUCCESS;
}

Result<bool> Device::canAccessPeer(const Device& peer) {
    int can = &peer == this;
    if (can == 0) {
        const Status bad = ZETL_CUDA(cuDeviceCanAccessPeer(&can, device_, peer.device_));
        if (bad != ZE_RESULT_SUCCESS) return bad;
    }
    return can != 0;
}

Status Device::getP2PProperties(const Device& peer, ze_device_p2p_properties_t* out) {
    const auto can = canAccessPeer(peer);
    if (!can) return can.code();
    out->flags = *can ? ZE_DEVICE_P2P_PROPERTY_FLAG_ACCESS : 0;
    return ZE_RESULT_SUCCESS;
}

}  // namespace zetl::nvidia
