// ze_driver_handle_t: the entry to the GPUs that CUDA lists (core specification, "Drivers").
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "nvidia/driver/shared_parts.h"

namespace zetl::nvidia {

class Context;
class Device;

/// Makes zeDriverGetExtensionFunctionAddress return that function, and adds an extension of that name to those of the
/// driver. The composition of the shared library offers the parts above the driver this way. Call it before zeInit.
void offerExtensionFunction(const char* name, void* address);
void offerExtension(const ze_driver_extension_properties_t& extension);

/// The only driver object of the process. Thread-safe.
class Driver : public Object<Driver, ze_driver_handle_t> {
  public:
    static constexpr const char* kNoun = "driver";

    /// Opens CUDA and lists the devices, once. If that fails, logs the reason, and returns UNINITIALIZED at this and
    /// every later call.
    static Result<std::shared_ptr<Driver>> instance();
    Driver(std::vector<std::shared_ptr<Device>> devices, int version);

    Status getApiVersion(ze_api_version_t* version);
    Status getProperties(ze_driver_properties_t* out);
    Status getIpcProperties(ze_driver_ipc_properties_t* out);
    Status getExtensionProperties(std::uint32_t* count, ze_driver_extension_properties_t* out);
    Status getExtensionFunctionAddress(const char* name, void** address);
    Result<std::shared_ptr<Context>> createContext(const ze_context_desc_t& description);
    /// The one driver, once it has been opened.
    static std::array<ze_driver_handle_t, 1> all() { return {(*instance())->handle()}; }
    /// Without devices: for all of them. INVALID_NULL_POINTER, INVALID_ENUMERATION.
    Result<std::shared_ptr<Context>> createContextEx(const ze_context_desc_t& description, std::uint32_t count,
                                                     ze_device_handle_t* devices);

    const std::vector<std::shared_ptr<Device>>& devices() const noexcept { return devices_; }

  private:
    const std::vector<std::shared_ptr<Device>> devices_;
    const int version_;  ///< of CUDA, 1000 * major + 10 * minor
};

}  // namespace zetl::nvidia
