// ze_device_handle_t: one GPU that CUDA lists (core specification, "Device").
#pragma once

#include <memory>
#include <vector>

#include "base/mutex.h"
#include "nvidia/driver/device/attributes.h"
#include "nvidia/driver/device/clock.h"
#include "nvidia/driver/shared_parts.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::nvidia {

/// A GPU. All Level Zero contexts of the process work in its primary CUDA context, which exists while one of them does:
/// after a fault in a kernel all calls return DEVICE_LOST until the last of them has been destroyed. Lives as long as
/// the process. Thread-safe.
class Device : public Object<Device, ze_device_handle_t> {
  public:
    static constexpr const char* kNoun = "device";

    static Result<std::shared_ptr<Device>> create(int ordinal);
    Device(CUdevice device, Attributes attributes);

    // The exported functions, without their first argument.
    Status getSubDevices(std::uint32_t* count, ze_device_handle_t* devices);
    Status getRootDevice(ze_device_handle_t* root);
    Status getProperties(ze_device_properties_t* out);
    Status getComputeProperties(ze_device_compute_properties_t* out);
    Status getModuleProperties(ze_device_module_properties_t* out);
    Status getCommandQueueGroupProperties(std::uint32_t* count, ze_command_queue_group_properties_t* out);
    Status getMemoryProperties(std::uint32_t* count, ze_device_memory_properties_t* out);
    Status getMemoryAccessProperties(ze_device_memory_access_properties_t* out);
    Status getCacheProperties(std::uint32_t* count, ze_device_cache_properties_t* out);
    Status getImageProperties(ze_device_image_properties_t* out);
    Status getExternalMemoryProperties(ze_device_external_memory_properties_t* out);
    Status getP2PProperties(const Device& peer, ze_device_p2p_properties_t* out);
    Result<bool> canAccessPeer(const Device& peer);
    Status getStatus();
    Status getGlobalTimestamps(std::uint64_t* host, std::uint64_t* device);
    Status pciGetProperties(ze_pci_ext_properties_t* out);
    Status getVectorWidths(std::uint32_t* count, ze_device_vector_width_properties_ext_t* out);

    const Attributes& attributes() const noexcept { return attributes_; }
    CUdevice ordinal() const noexcept { return device_; }

    /// The device at work: its primary context and its clock. Held by contexts and by the objects in them.
    struct Work {
        explicit Work(CUdevice owner, CUcontext primary) : device(owner), context(primary), clock(primary) {}
        ~Work();
        const CUdevice device;
        const CUcontext context;
        DeviceClock clock;
    };
    /// Starts the device if no context holds it yet.
    Result<std::shared_ptr<Work>> work();

  private:
    const CUdevice device_;
    const Attributes attributes_;
    Mutex mutex_;
    std::weak_ptr<Work> work_ ZETL_GUARDED_BY(mutex_);
};

}  // namespace zetl::nvidia
