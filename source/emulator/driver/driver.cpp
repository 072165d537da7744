#include "emulator/driver/driver.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "emulator/driver/chain.h"
#include "emulator/driver/device.h"
#include "emulator/driver/live_set.h"
#include "emulator/driver/platform.h"

namespace zetl::emulator::driver {
namespace {

// Names and numbers that Level Zero headers before specification 1.12 do not have.
constexpr auto kDdiHandlesStructure = static_cast<ze_structure_type_t>(0x00020027);
constexpr std::uint32_t kDdiHandlesSupported = 1;
struct DdiHandlesProperties {
    ze_structure_type_t stype;
    void* pNext;
    std::uint32_t flags;
};

constexpr std::uint32_t kDriverVersion = 1 << 24;
constexpr char kDriverUuid[] = "zetl-emulated-01";

constexpr ze_driver_extension_properties_t kExtensions[] = {
    {"ZETL_extension_emulated_device", ZE_MAKE_VERSION(1, 0)},
    {"ZE_extension_driver_ddi_handles", ZE_MAKE_VERSION(1, 1)},
    {"ZE_experimental_module_program", ZE_MAKE_VERSION(1, 0)},
    {"ZE_experimental_global_offset", ZE_MAKE_VERSION(1, 0)},
    {"ZE_experimental_relaxed_allocation_limits", ZE_MAKE_VERSION(1, 0)},
    {"ZE_experimental_event_query_timestamps", ZE_MAKE_VERSION(1, 0)},
    {"ZE_experimental_scheduling_hints", ZE_MAKE_VERSION(1, 0)},
    {"ZE_experimental_event_pool_counter_based", ZE_MAKE_VERSION(1, 0)},
    {"ZE_experimental_immediate_command_list_append", ZE_MAKE_VERSION(1, 0)},
    {"ZE_experimental_fabric", ZE_MAKE_VERSION(1, 0)},
    {"ZE_extension_event_query_kernel_timestamps", ZE_MAKE_VERSION(1, 0)},
    {"ZE_extension_float_atomics", ZE_MAKE_VERSION(1, 0)},
    {"ZE_extension_subgroups", ZE_MAKE_VERSION(1, 0)},
    {"ZE_extension_eu_count", ZE_MAKE_VERSION(1, 0)},
    {"ZE_extension_pci_properties", ZE_MAKE_VERSION(1, 0)},
    {"ZE_extension_linkage_inspection", ZE_MAKE_VERSION(1, 0)},
    {"ZE_extension_linkonce_odr", ZE_MAKE_VERSION(1, 0)},
    {"ZE_extension_memory_free_policies", ZE_MAKE_VERSION(1, 0)},
    {"ZE_extension_device_memory_properties", ZE_MAKE_VERSION(1, 0)},
    {"ZE_extension_device_ip_version", ZE_MAKE_VERSION(1, 0)},
    {"ZE_extension_kernel_max_group_size_properties", ZE_MAKE_VERSION(1, 0)},
};

/// Those and what was offered.
std::vector<ze_driver_extension_properties_t>& allExtensions() {
    static auto* const all =
        new std::vector<ze_driver_extension_properties_t>(std::begin(kExtensions), std::end(kExtensions));
    return *all;
}

}  // namespace

Driver& Driver::instance() {
    static auto* const driver = [] {
        auto created = std::make_shared<Driver>();
        live<Driver>().add(created);
        return new std::shared_ptr<Driver>(std::move(created));
    }();
    return **driver;
}

Driver::Driver() {
    machine::Machine& machine = platform();
    for (std::uint32_t i = 0; i < machine.devices(); ++i) devices_.push_back(Device::createRoot(machine.device(i)));
}

ze_api_version_t Driver::apiVersion() const noexcept { return ZE_API_VERSION_1_9; }

Status Driver::properties(ze_driver_properties_t& out) const {
    static_assert(sizeof kDriverUuid == ZE_MAX_DRIVER_UUID_SIZE + 1);
    std::copy_n(kDriverUuid, ZE_MAX_DRIVER_UUID_SIZE, out.uuid.id);
    out.driverVersion = kDriverVersion;
    forEachLink(&out, ZE_STRUCTURE_TYPE_DRIVER_PROPERTIES,
                fillLink<DdiHandlesProperties>(kDdiHandlesStructure,
                                               [](auto& answer) { answer.flags = kDdiHandlesSupported; }));
    return ZE_RESULT_SUCCESS;
}

Status Driver::ipcProperties(ze_driver_ipc_properties_t& out) const {
    out.flags = ZE_IPC_PROPERTY_FLAG_MEMORY | ZE_IPC_PROPERTY_FLAG_EVENT_POOL;
    return ZE_RESULT_SUCCESS;
}

std::span<const ze_driver_extension_properties_t> Driver::extensions() const noexcept { return allExtensions(); }

void offerExtension(const ze_driver_extension_properties_t& extension) { allExtensions().push_back(extension); }

}  // namespace zetl::emulator::driver
