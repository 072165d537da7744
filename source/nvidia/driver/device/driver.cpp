#include "nvidia/driver/device/driver.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "base/enumerate.h"
#include "base/never_destroyed.h"
#include "driver/ddi_handles.h"
#include "nvidia/cuda/api.h"
#include "nvidia/cuda/result.h"
#include "nvidia/driver/device/context.h"
#include "nvidia/driver/device/device.h"

namespace zetl::nvidia {
namespace {

constexpr char kDriverUuid[] = "zetl-nvidia-0001";

/// The driver's own extensions, and those offered by the parts above it.
std::vector<ze_driver_extension_properties_t>& extensions() {
    static NeverDestroyed<std::vector<ze_driver_extension_properties_t>> all(
        std::vector<ze_driver_extension_properties_t>{
            {"ZE_extension_driver_ddi_handles", ZE_MAKE_VERSION(1, 1)},
            {"ZE_extension_eu_count", ZE_MAKE_VERSION(1, 0)},
            {"ZE_extension_pci_properties", ZE_MAKE_VERSION(1, 0)},
            {"ZE_extension_record_replay_graph", ZE_MAKE_VERSION(1, 0)},
            {"ZE_experimental_record_replay_graph", ZE_MAKE_VERSION(1, 0)},
            {"ZE_experimental_event_query_timestamps", ZE_MAKE_VERSION(1, 0)},
            {"ZE_experimental_global_offset", ZE_MAKE_VERSION(1, 0)},
            {"ZE_experimental_mutable_command_list", ZE_MAKE_VERSION(1, 1)},
            {"ZE_experimental_relaxed_allocation_limits", ZE_MAKE_VERSION(1, 0)}});
    return *all;
}

using Offered = std::map<std::string_view, void*>;
Offered& offeredFunctions() {
    static NeverDestroyed<Offered> all;
    return *all;
}

Status noDevice(const char* step, CUresult result) {
    return refuse(ZE_RESULT_ERROR_UNINITIALIZED, "no NVIDIA device: {} answers {} ({})", step, nameOf(result),
                  static_cast<int>(result));
}

Result<std::shared_ptr<Driver>> open() {
    if (const std::string& problem = openCuda(); !problem.empty())
        return refuse(ZE_RESULT_ERROR_UNINITIALIZED, "no NVIDIA device: {}", problem);
    if (const CUresult bad = cuda().cuInit(0); bad != CUDA_SUCCESS) return noDevice("cuInit", bad);
    int version = 0;
    int count = 0;
    cuda().cuDriverGetVersion(&version);
    if (const CUresult bad = cuda().cuDeviceGetCount(&count); bad != CUDA_SUCCESS)
        return noDevice("cuDeviceGetCount", bad);
    std::vector<std::shared_ptr<Device>> devices;
    for (int i = 0; i < count; ++i) {
        auto device = Device::create(i);
        if (!device) return refuse(ZE_RESULT_ERROR_UNINITIALIZED, "device {} cannot be described", i);
        devices.push_back(*std::move(device));
    }
    if (devices.empty()) return refuse(ZE_RESULT_ERROR_UNINITIALIZED, "no NVIDIA device: CUDA lists none");
    for (const auto& device : devices) live<Device>().add(device);
    auto driver = std::make_shared<Driver>(std::move(devices), version);
    live<Driver>().add(driver);
    return driver;
}

}  // namespace

void offerExtensionFunction(const char* name, void* address) { offeredFunctions()[name] = address; }
void offerExtension(const ze_driver_extension_properties_t& extension) { extensions().push_back(extension); }

Result<std::shared_ptr<Driver>> Driver::instance() {
    static NeverDestroyed<Result<std::shared_ptr<Driver>>> driver(open());
    return *driver;
}

Driver::Driver(std::vector<std::shared_ptr<Device>> devices, int version)
    : devices_(std::move(devices)), version_(version) {}

Status Driver::getApiVersion(ze_api_version_t* version) {
    *version = ZE_API_VERSION_1_9;
    return ZE_RESULT_SUCCESS;
}

Status Driver::getProperties(ze_driver_properties_t* out) {
    static_assert(sizeof kDriverUuid == ZE_MAX_DRIVER_UUID_SIZE + 1);
    std::copy_n(kDriverUuid, ZE_MAX_DRIVER_UUID_SIZE, out->uuid.id);
    out->driverVersion = static_cast<std::uint32_t>(version_);
    answerDdiHandles(*out);
    return ZE_RESULT_SUCCESS;
}

Status Driver::getIpcProperties(ze_driver_ipc_properties_t* out) {
    out->flags = ZE_IPC_PROPERTY_FLAG_MEMORY | ZE_IPC_PROPERTY_FLAG_EVENT_POOL;
    return ZE_RESULT_SUCCESS;
}

Status Driver::getExtensionProperties(std::uint32_t* count, ze_driver_extension_properties_t* out) {
    return enumerate(static_cast<std::uint32_t>(extensions().size()), count, out,
                     [](auto i) { return extensions()[i]; });
}

Status Driver::getExtensionFunctionAddress(const char* name, void** address) {
    const auto offered = offeredFunctions().find(name);
    *address = offered != offeredFunctions().end() ? offered->second : servedFunction(name);
    if (*address) return ZE_RESULT_SUCCESS;
    return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "there is no extension function of the name {}", name);
}

Result<std::shared_ptr<Context>> Driver::createContext(const ze_context_desc_t& description) {
    return createContextEx(description, 0, nullptr);
}

Result<std::shared_ptr<Context>> Driver::createContextEx(const ze_context_desc_t& description, std::uint32_t count,
                                                         ze_device_handle_t* devices) {
    if (description.flags & ~static_cast<ze_context_flags_t>(ZE_CONTEXT_FLAG_TBD))
        return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    if (count > 0 && !devices) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    auto chosen = findAll<Device>(count, devices);
    if (!chosen) return chosen.code();
    return Context::create(chosen->empty() ? devices_ : *std::move(chosen));
}

}  // namespace zetl::nvidia
