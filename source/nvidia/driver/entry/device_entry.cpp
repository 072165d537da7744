// zeDriver..., zeDevice...
#include "driver/method.h"
#include "nvidia/driver/device/device.h"
#include "nvidia/driver/device/driver.h"
#include "nvidia/driver/entry/rows.h"
#include "nvidia/driver/execution/command_list.h"
#include "nvidia/driver/execution/command_queue.h"

namespace zetl::nvidia {
namespace {

/// Waits for the work of every queue and immediate list on the device.
ze_result_t ZE_APICALL synchronizeDevice(ze_device_handle_t device) noexcept {
    return onObject<Device>("zeDeviceSynchronize", device, {}, [](Device& object) {
        Status worst = ZE_RESULT_SUCCESS;
        const auto note = [&](Status status) {
            if (status != ZE_RESULT_SUCCESS) worst = status;
        };
        for (const auto& queue : live<CommandQueue>().all())
            if (queue->engine().place.device.get() == &object) note(queue->synchronize(kForever));
        for (const auto& list : live<CommandList>().all())
            if (list->immediate() && list->engine().place.device.get() == &object)
                note(list->hostSynchronize(kForever));
        return worst;
    });
}

}  // namespace

driver::Rows deviceRows() noexcept {
    static const driver::Served rows[] = {
        ZETL_METHOD(zeDriverGetApiVersion, &Driver::getApiVersion, 0),
        ZETL_METHOD(zeDriverGetProperties, &Driver::getProperties, 0),
        ZETL_METHOD(zeDriverGetIpcProperties, &Driver::getIpcProperties, 0),
        ZETL_METHOD(zeDriverGetExtensionProperties, &Driver::getExtensionProperties, 0),
        ZETL_METHOD(zeDriverGetExtensionFunctionAddress, &Driver::getExtensionFunctionAddress, 0, 1),
        ZETL_METHOD(zeDriverGetLastErrorDescription, &Driver::getLastErrorDescription, 0),
        ZETL_METHOD(zeDeviceGet, &Driver::getDevices, 0),
        ZETL_METHOD(zeContextCreate, &Driver::createContext, 0, 1),
        ZETL_METHOD(zeContextCreateEx, &Driver::createContextEx, 0, 3),
        ZETL_METHOD(zeDeviceGetSubDevices, &Device::getSubDevices, 0),
        ZETL_METHOD(zeDeviceGetRootDevice, &Device::getRootDevice, 0),
        ZETL_METHOD(zeDeviceGetProperties, &Device::getProperties, 0),
        ZETL_METHOD(zeDeviceGetComputeProperties, &Device::getComputeProperties, 0),
        ZETL_METHOD(zeDeviceGetModuleProperties, &Device::getModuleProperties, 0),
        ZETL_METHOD(zeDeviceGetCommandQueueGroupProperties, &Device::getCommandQueueGroupProperties, 0),
        ZETL_METHOD(zeDeviceGetMemoryProperties, &Device::getMemoryProperties, 0),
        ZETL_METHOD(zeDeviceGetMemoryAccessProperties, &Device::getMemoryAccessProperties, 0),
        ZETL_METHOD(zeDeviceGetCacheProperties, &Device::getCacheProperties, 0),
        ZETL_METHOD(zeDeviceGetImageProperties, &Device::getImageProperties, 0),
        ZETL_METHOD(zeDeviceGetExternalMemoryProperties, &Device::getExternalMemoryProperties, 0),
        ZETL_METHOD(zeDeviceGetVectorWidthPropertiesExt, &Device::getVectorWidths, 0),
        ZETL_METHOD(zeDeviceGetP2PProperties, &Device::getP2PProperties),
        ZETL_METHOD(zeDeviceCanAccessPeer, &Device::canAccessPeer),
        ZETL_METHOD(zeDeviceGetStatus, &Device::getStatus),
        ZETL_METHOD(zeDeviceGetGlobalTimestamps, &Device::getGlobalTimestamps, 0, 1),
        ZETL_METHOD(zeDevicePciGetPropertiesExt, &Device::pciGetProperties, 0),
        ZETL_SERVES(zeDeviceSynchronize, synchronizeDevice),
    };
    return rows;
}

}  // namespace zetl::nvidia
