#include "emulator/driver/device/driver.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/never_destroyed.h"
#include "base/settings.h"
#include "driver/ddi_handles.h"
#include "driver/served_specification.h"
#include "emulator/driver/device/device.h"
#include "emulator/driver/device/platform.h"
#include "emulator/driver/device/release.h"
#include "emulator/driver/device/visible_devices.h"
#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::driver {
namespace {

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
    {"ZE_experimental_mutable_command_list", ZE_MAKE_VERSION(1, 1)},
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
    {"ZE_extension_virtual_mem_readonly_properties", ZE_MAKE_VERSION(1, 0)},
    {"ZE_extension_device_cache_line_size", ZE_MAKE_VERSION(1, 0)},
    {"ZE_extension_device_vector_sizes", ZE_MAKE_VERSION(1, 0)},
    {"ZE_extension_record_replay_graph", ZE_MAKE_VERSION(1, 0)},
    {"ZE_experimental_record_replay_graph", ZE_MAKE_VERSION(1, 0)},
    {"ZE_extension_device_usablemem_size_properties", ZE_MAKE_VERSION(1, 0)},
    {"ZE_extension_bfloat16_conversions", ZE_MAKE_VERSION(1, 0)},
    {"ZE_extension_command_queue_set_priority", ZE_MAKE_VERSION(1, 0)},
    {"ZE_extension_command_queue_qos", ZE_MAKE_VERSION(1, 0)},
    {"ZE_extension_command_visit", ZE_MAKE_VERSION(1, 0)},
    {"ZE_extension_image_copy", ZE_MAKE_VERSION(1, 0)},
    {"ZE_extension_image_query_alloc_properties", ZE_MAKE_VERSION(1, 0)},
    {"ZE_extension_image_view", ZE_MAKE_VERSION(1, 0)},
    {"ZE_extension_image_view_planar", ZE_MAKE_VERSION(1, 0)},
    {"ZE_experimental_image_memory_properties", ZE_MAKE_VERSION(1, 0)},
    {"ZE_experimental_bindless_image", ZE_MAKE_VERSION(1, 0)},
    {"ZE_intel_get_driver_version_string", ZE_MAKE_VERSION(1, 0)},
    {"ZEX_intel_experimental_queue_copy_operations_offload_hint", ZE_MAKE_VERSION(1, 0)},
    {"ZEX_mem_ipc_handles", ZE_MAKE_VERSION(1, 0)},
    {"ZEX_counter_based_event", ZE_MAKE_VERSION(1, 0)},
    {"ZEX_driver_import_host_pointer", ZE_MAKE_VERSION(1, 0)},
    {"ZE_extension_kernel_binary_exp", ZE_MAKE_VERSION(1, 0)},
    {"ZE_experimental_kernel_allocation_properties", ZE_MAKE_VERSION(1, 0)},
    {"ZE_intel_experimental_kernel_get_program_binary", ZE_MAKE_VERSION(1, 0)},
    {"ZEX_extension_memory_free_callback", ZE_MAKE_VERSION(1, 0)},
};

/// Those, and the extensions added by offerExtension().
std::vector<ze_driver_extension_properties_t>& allExtensions() {
    static NeverDestroyed<std::vector<ze_driver_extension_properties_t>> all(std::begin(kExtensions),
                                                                             std::end(kExtensions));
    return *all;
}

/// The root devices that are made of the visible tiles of one device.
std::vector<Device::Tiles> rootsOf(Hierarchy hierarchy, const Device::Tiles& tiles) {
    std::vector<Device::Tiles> roots;
    if (hierarchy != Hierarchy::flat && !tiles.empty()) roots.push_back(tiles);
    if (hierarchy != Hierarchy::flat) return roots;
    for (const std::uint32_t tile : tiles) roots.push_back({tile});
    return roots;
}

}  // namespace

Driver& Driver::instance() {
    static NeverDestroyed<std::shared_ptr<Driver>> driver([] {
        auto created = std::make_shared<Driver>();
        live<Driver>().add(created);
        return created;
    }());
    return **driver;
}

Driver::Driver() {
    machine::Machine& machine = platform();
    std::vector<std::uint32_t> tiles;
    for (std::uint32_t i = 0; i < machine.devices(); ++i) tiles.push_back(machine.device(i).profile().tiles);
    const auto hierarchy = hierarchyNamed(settings::text(settings::kDeviceHierarchy).value_or("COMPOSITE"));
    const auto mask = settings::text(settings::kAffinityMask).value_or("");
    auto visible = visibleTiles(hierarchy, mask, tiles);
    const bool any = std::ranges::any_of(visible, [](const auto& tiles) { return !tiles.empty(); });
    if (!any) visible = visibleTiles(hierarchy, "", tiles);
    for (std::uint32_t i = 0; i < machine.devices(); ++i)
        for (const Device::Tiles& each : rootsOf(hierarchy, visible[i]))
            devices_.push_back(Device::createRoot(machine.device(i), each));
    if (!any) return;
    for (const auto& root : devices_) {
        const auto& subDevices = root->subDevices();
        if (hierarchy == Hierarchy::combined && !subDevices.empty())
            listed_.insert(listed_.end(), subDevices.begin(), subDevices.end());
        else
            listed_.push_back(root);
    }
}

ze_api_version_t Driver::apiVersion() const noexcept { return kServedSpecification; }

Status Driver::properties(ze_driver_properties_t& out) const {
    static_assert(sizeof kDriverUuid == ZE_MAX_DRIVER_UUID_SIZE + 1);
    std::copy_n(kDriverUuid, ZE_MAX_DRIVER_UUID_SIZE, out.uuid.id);
    out.driverVersion = releaseNumber();
    answerDdiHandles(out);
    return ZE_RESULT_SUCCESS;
}

Status Driver::ipcProperties(ze_driver_ipc_properties_t& out) const {
    out.flags = ZE_IPC_PROPERTY_FLAG_MEMORY | ZE_IPC_PROPERTY_FLAG_EVENT_POOL;
    return ZE_RESULT_SUCCESS;
}

std::span<const ze_driver_extension_properties_t> Driver::extensions() const noexcept { return allExtensions(); }

void offerExtension(const ze_driver_extension_properties_t& extension) { allExtensions().push_back(extension); }

}  // namespace zetl::emulator::driver
