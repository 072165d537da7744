#include "emulator/driver/sysman/device_answers.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "base/enumerate.h"
#include "emulator/driver/device/device.h"
#include "emulator/driver/device/device_properties.h"
#include "emulator/driver/device/driver.h"
#include "emulator/driver/sysman/component.h"
#include "emulator/peers/shared_use.h"

namespace zetl::emulator::driver {
namespace {

bool has(const Device& device, const zes_uuid_t& uuid) noexcept {
    const ze_device_uuid_t own = device.uuid();
    return std::memcmp(&own, &uuid, sizeof uuid) == 0;
}

bool hasOwnMemory(const Device& device) noexcept { return device.profile().integrated == 0; }

/// The sum over the device's tiles.
std::uint64_t sumOf(Device& device, const peers::DeviceUse& use, std::uint64_t peers::TileUse::*value) noexcept {
    std::uint64_t sum = 0;
    for (std::uint32_t i = 0; i < device.tiles(); ++i) sum += use.tiles[device.tile(i).index()].*value;
    return sum;
}

zes_engine_type_flags_t enginesOf(Device& device, const peers::DeviceUse& use) noexcept {
    zes_engine_type_flags_t engines = 0;
    if (sumOf(device, use, &peers::TileUse::computeTime) != 0) engines |= ZES_ENGINE_TYPE_FLAG_COMPUTE;
    if (sumOf(device, use, &peers::TileUse::copyTime) != 0) engines |= ZES_ENGINE_TYPE_FLAG_DMA;
    return engines;
}

/// Of the flags, Intel's driver sets those of integrated devices and of page faults alone.
void describe(const Device& device, zes_device_ext_properties_t& out) noexcept {
    const ze_device_uuid_t uuid = device.uuid();
    static_assert(sizeof out.uuid == sizeof uuid);
    std::memcpy(&out.uuid, &uuid, sizeof uuid);
    out.type = ZES_DEVICE_TYPE_GPU;
    out.flags = ZES_DEVICE_PROPERTY_FLAG_ONDEMANDPAGING;
    if (device.profile().integrated != 0) out.flags |= ZES_DEVICE_PROPERTY_FLAG_INTEGRATED;
}

constexpr std::uint64_t kMiB = 1 << 20;
/// Of one tile: Linux, drivers/gpu/drm/xe/xe_mmio.c.
constexpr std::uint64_t kRegisterBytes = 16 * kMiB;
/// The window of an integrated device; kernel logs of Alder Lake show it.
constexpr std::uint64_t kIntegratedWindowBytes = 256 * kMiB;
constexpr std::uint32_t kRegisterBar = 0;
constexpr std::uint32_t kMemoryBar = 2;

/// With resizable BARs the window covers all memory, in a power of two: lspci shows 16 GiB for cards of 12 and 16 GiB.
std::uint64_t memoryWindowBytes(const Device& card) noexcept {
    return hasOwnMemory(card) ? std::bit_ceil(card.profile().memoryBytes * card.tiles()) : kIntegratedWindowBytes;
}

/// The same members in both generations of the structure.
template <class T>
void describeBar(const zes_pci_bar_properties_t& known, T& out) noexcept {
    out.type = known.type;
    out.index = known.index;
    out.base = known.base;
    out.size = known.size;
}

}  // namespace

void describeForSysman(Device& device, zes_device_properties_t& out) {
    ze_device_properties_t known{};
    known.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
    describeDevice(device, known);
    known.stype = out.core.stype;
    known.pNext = out.core.pNext;
    out.core = known;
    out.numSubdevices = static_cast<std::uint32_t>(device.subDevices().size());
    for (auto* text : {out.serialNumber, out.boardNumber, out.brandName, out.vendorName, out.driverVersion})
        std::strncpy(text, "unknown", ZES_STRING_PROPERTY_SIZE);
    std::strncpy(out.modelName, device.name().c_str(), ZES_STRING_PROPERTY_SIZE - 1);
    out.modelName[ZES_STRING_PROPERTY_SIZE - 1] = '\0';
    forEachLink(&out, static_cast<ze_structure_type_t>(ZES_STRUCTURE_TYPE_DEVICE_PROPERTIES),
                fillLink<zes_device_ext_properties_t>(
                    static_cast<ze_structure_type_t>(ZES_STRUCTURE_TYPE_DEVICE_EXT_PROPERTIES),
                    [&](zes_device_ext_properties_t& more) { describe(device, more); }));
}

void describePciForSysman(Device& device, zes_pci_properties_t& out) {
    ze_pci_ext_properties_t known{};
    describePci(device, known);
    out.address = {known.address.domain, known.address.bus, known.address.device, known.address.function};
    out.maxSpeed = {known.maxSpeed.genVersion, known.maxSpeed.width, known.maxSpeed.maxBandwidth};
    out.haveBandwidthCounters = hasOwnMemory(device);
    out.havePacketCounters = out.haveReplayCounters = false;
}

Status deviceByUuid(Driver& driver, const zes_uuid_t& uuid, zes_device_handle_t& out, ze_bool_t& onSubdevice,
                    std::uint32_t& subdeviceId) {
    const auto is = [&](const Device& device) { return has(device, uuid); };
    for (const auto& root : driver.devices()) {
        const auto& tiles = root->subDevices();
        const auto tile = std::ranges::find_if(tiles, [&](const auto& each) { return is(*each); });
        if (tile == tiles.end() && !is(*root)) continue;
        out = root->handle();
        onSubdevice = tile != tiles.end();
        subdeviceId = tile != tiles.end() ? (*tile)->firstTile() : 0;
        return ZE_RESULT_SUCCESS;
    }
    return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "no device of the driver has that UUID");
}

Status listSubDevices(Device& device, std::uint32_t* count, zes_subdevice_exp_properties_t* out) {
    const auto& tiles = device.subDevices();
    return enumerateInto(tiles.size(), count, out, [&](std::uint32_t i, zes_subdevice_exp_properties_t& each) {
        each.subdeviceId = tiles[i]->firstTile();
        const ze_device_uuid_t uuid = tiles[i]->uuid();
        static_assert(sizeof each.uuid == sizeof uuid);
        std::memcpy(&each.uuid, &uuid, sizeof uuid);
    });
}

Status listProcesses(Device& device, std::uint32_t* count, zes_process_state_t* out) {
    auto all = peers::SharedUse::of(device.machine()).processes();
    std::erase_if(all, [](const peers::ProcessUse& each) { return each.process <= 0; });
    return enumerateInto(all.size(), count, out, [&](std::uint32_t i, zes_process_state_t& process) {
        process.processId = static_cast<std::uint32_t>(all[i].process);
        process.memSize = sumOf(device, all[i].use, &peers::TileUse::memory);
        process.sharedSize = 0;
        process.engines = enginesOf(device, all[i].use);
    });
}

Status pciStatistics(Device& device, zes_pci_stats_t& out) {
    if (!hasOwnMemory(device))
        return refuse(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "an integrated device has no link of its own");
    const peers::DeviceUse use = peers::SharedUse::of(device.machine()).total();
    out.timestamp = sampleTime();
    out.replayCounter = out.packetCounter = 0;
    out.rxCounter = sumOf(device, use, &peers::TileUse::bytesIn);
    out.txCounter = sumOf(device, use, &peers::TileUse::bytesOut);
    out.speed = {-1, -1, kUnknown};
    return ZE_RESULT_SUCCESS;
}

Status listBars(Device& device, std::uint32_t* count, zes_pci_bar_properties_t* out) {
    const Device& card = device.root();
    std::array<zes_pci_bar_properties_t, 2> all{};
    all[0].type = ZES_PCI_BAR_TYPE_MMIO;
    all[0].index = kRegisterBar;
    all[0].size = std::bit_ceil(kRegisterBytes * card.tiles());
    all[1].type = ZES_PCI_BAR_TYPE_MEM;
    all[1].index = kMemoryBar;
    all[1].size = memoryWindowBytes(card);
    return enumerateInto(all.size(), count, out, [&](std::uint32_t i, zes_pci_bar_properties_t& bar) {
        describeBar(all[i], bar);
        forEachLink(&bar, static_cast<ze_structure_type_t>(ZES_STRUCTURE_TYPE_PCI_BAR_PROPERTIES),
                    fillLink<zes_pci_bar_properties_1_2_t>(
                        static_cast<ze_structure_type_t>(ZES_STRUCTURE_TYPE_PCI_BAR_PROPERTIES_1_2),
                        [&](zes_pci_bar_properties_1_2_t& more) {
                            describeBar(all[i], more);
                            more.resizableBarSupported = hasOwnMemory(card);
                            more.resizableBarEnabled = hasOwnMemory(card) && all[i].index == kMemoryBar;
                        }));
    });
}

void deviceState(zes_device_state_t& out) noexcept {
    out.reset = 0;
    out.repaired = ZES_REPAIR_STATUS_UNSUPPORTED;
}

void pciState(zes_pci_state_t& out) noexcept {
    out.status = ZES_PCI_LINK_STATUS_UNKNOWN;
    out.qualityIssues = 0;
    out.stabilityIssues = 0;
    out.speed = {-1, -1, kUnknown};
}

}  // namespace zetl::emulator::driver
