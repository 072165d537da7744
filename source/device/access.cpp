#include "device/access.h"

#include "base/log.h"
#include "device/conformance.h"
#include "device/null_access.h"

namespace zetl::device {
namespace {

template <class Section>
void adoptSection(const Section*& place, const Section* provided) {
    if (provided) place = provided;
}

}  // namespace

Access::Access() noexcept : tables_(nullAccess()) {}

Result<Access> Access::adopt(const zetl_device_access_t* provided) {
    const auto findings = violations(provided);
    for (const auto& finding : findings) log::error(log::Channel::layer, "device access refused: {}", finding);
    if (!findings.empty()) return ZE_RESULT_ERROR_UNSUPPORTED_VERSION;
    Access access;
    auto& tables = access.tables_;
    tables.provider = provided->provider;
    adoptSection(tables.devices, provided->devices);
    adoptSection(tables.clocks, provided->clocks);
    adoptSection(tables.counters, provided->counters);
    adoptSection(tables.streams, provided->streams);
    adoptSection(tables.sampling, provided->sampling);
    adoptSection(tables.modules, provided->modules);
    adoptSection(tables.targets, provided->targets);
    if (offersCommands(*provided)) adoptSection(tables.commands, provided->commands);
    if (offersEventMemory(*provided)) adoptSection(tables.event_memory, provided->event_memory);
    return access;
}

Result<Access> Access::ofDriver(ze_driver_handle_t driver, decltype(&zeDriverGetExtensionFunctionAddress) lookUp) {
    void* address = nullptr;
    if (!lookUp || lookUp(driver, ZETL_DEVICE_ACCESS_FUNCTION, &address) != ZE_RESULT_SUCCESS || !address)
        return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    const auto get = reinterpret_cast<zetl_get_device_access_t>(address);
    return adopt(get(ZETL_DEVICE_ACCESS_VERSION));
}

}  // namespace zetl::device
