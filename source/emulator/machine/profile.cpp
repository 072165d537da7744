#include "emulator/machine/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <ios>
#include <iterator>
#include <set>

#include "base/parts.h"
#include "base/settings.h"
#include "base/yaml.h"
#include "emulator/machine/embedded_profiles.h"

namespace zetl::emulator::machine {

// The register encodes three bits each of slice, sub-slice, EU and thread; sub-slices are counted through all slices,
// so that the code's own packing of these bits gives the slot.
std::uint32_t DeviceProfile::slotOf(const ThreadId& id) const noexcept {
    return ((id.slice * subslicesPerSlice + id.subslice) * eusPerSubslice + id.eu) * threadsPerEu + id.thread;
}

std::uint32_t DeviceProfile::slmGiven(std::uint32_t bytes) const noexcept {
    constexpr std::uint32_t kKibibyte = 1024;
    constexpr std::uint32_t kSteps[] = {0, 1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128, 160, 192, 256, 320, 384};
    for (const std::uint32_t step : kSteps)
        if (bytes <= step * kKibibyte && step * kKibibyte <= slmBytes) return step * kKibibyte;
    return std::max(bytes, slmBytes);
}

ThreadId DeviceProfile::threadAt(std::uint32_t slot) const noexcept {
    const std::uint32_t eu = slot / threadsPerEu;
    const std::uint32_t subslice = eu / eusPerSubslice;
    return {subslice / subslicesPerSlice, subslice % subslicesPerSlice, eu % eusPerSubslice, slot % threadsPerEu};
}

std::uint32_t DeviceProfile::statusRegister(std::uint32_t slot) const noexcept {
    const std::uint32_t thread = slot % threadsPerEu;
    const std::uint32_t eu = slot / threadsPerEu % eusPerSubslice;
    const std::uint32_t subslice = slot / threadsPerSubslice();
    if (architecture().start.subsliceInMessage) return thread | eu << 4;
    return thread | (eu & 3) << 4 | (eu >> 2 & 1) << 8 | (subslice & 7) << 9 | (subslice >> 3 & 7) << 12;
}

std::uint32_t DeviceProfile::messageRegister(std::uint32_t slot) const noexcept {
    return architecture().start.subsliceInMessage ? slot / threadsPerSubslice() : 0;
}

namespace {

constexpr std::uint32_t kMaxDevices = 16;
constexpr std::uint32_t kMaxSubslices = 64;  // what sr0.0 can number
constexpr std::uint32_t kMaxEus = 8;
constexpr std::uint32_t kMaxThreadsPerEu = 10;

template <class T>
struct ProfileField {
    const char* key;
    T DeviceProfile::*member;
    std::uint64_t least;
    std::uint64_t most;
};

constexpr ProfileField<std::uint32_t> kNumbers[] = {
    {.key = "vendor_id", .member = &DeviceProfile::vendorId, .least = 1, .most = 0xffff},
    {.key = "device_id", .member = &DeviceProfile::deviceId, .least = 1, .most = 0xffff},
    {.key = "revision", .member = &DeviceProfile::revision, .least = 0, .most = 0xff},
    {.key = "tiles", .member = &DeviceProfile::tiles, .least = 1, .most = kMaxTiles},
    {.key = "slices", .member = &DeviceProfile::slices, .least = 1, .most = kMaxSubslices},
    {.key = "subslices_per_slice", .member = &DeviceProfile::subslicesPerSlice, .least = 1, .most = kMaxSubslices},
    {.key = "eus_per_subslice", .member = &DeviceProfile::eusPerSubslice, .least = 1, .most = kMaxEus},
    {.key = "threads_per_eu", .member = &DeviceProfile::threadsPerEu, .least = 1, .most = kMaxThreadsPerEu},
    {.key = "core_clock_mhz", .member = &DeviceProfile::coreClockMhz, .least = 1, .most = 100'000},
    {.key = "timestamp_valid_bits", .member = &DeviceProfile::timestampValidBits, .least = 32, .most = 64},
    {.key = "kernel_timestamp_valid_bits", .member = &DeviceProfile::kernelTimestampValidBits, .least = 32, .most = 64},
    {.key = "memory_clock_mhz", .member = &DeviceProfile::memoryClockMhz, .least = 0, .most = 100'000},
    {.key = "memory_bus_bits", .member = &DeviceProfile::memoryBusBits, .least = 0, .most = 1u << 16},
    {.key = "slm_bytes", .member = &DeviceProfile::slmBytes, .least = 0, .most = 1u << 24},
    {.key = "max_group_size", .member = &DeviceProfile::maxGroupSize, .least = 1, .most = 4096},
};
/// Those that a profile may leave out.
constexpr ProfileField<std::uint32_t> kTraits[] = {
    {.key = "present_subslices", .member = &DeviceProfile::presentSubslices, .least = 1, .most = kMaxSubslices},
    {.key = "report_time_bits", .member = &DeviceProfile::reportTimeBits, .least = 31, .most = 64},
    {.key = "memory_type", .member = &DeviceProfile::memoryType, .least = 0, .most = 4},
    {.key = "integrated", .member = &DeviceProfile::integrated, .least = 0, .most = 1},
    {.key = "error_correction", .member = &DeviceProfile::errorCorrection, .least = 0, .most = 1},
    {.key = "host_atomics", .member = &DeviceProfile::hostAtomics, .least = 0, .most = 1},
    {.key = "shared_concurrent", .member = &DeviceProfile::sharedConcurrent, .least = 0, .most = 1},
    {.key = "half_atomics", .member = &DeviceProfile::halfAtomics, .least = 0, .most = float_atomics::kAll},
    {.key = "float_atomics", .member = &DeviceProfile::floatAtomics, .least = 0, .most = float_atomics::kAll},
    {.key = "double_atomics", .member = &DeviceProfile::doubleAtomics, .least = 0, .most = float_atomics::kAll},
    {.key = "compute_queues", .member = &DeviceProfile::computeQueues, .least = 1, .most = 64},
    {.key = "link_copy_queues", .member = &DeviceProfile::linkCopyQueues, .least = 0, .most = 64},
    {.key = "pci_generation", .member = &DeviceProfile::pciGeneration, .least = 3, .most = 5},
    {.key = "pci_lanes", .member = &DeviceProfile::pciLanes, .least = 1, .most = 16},
};
constexpr ProfileField<std::uint64_t> kLongNumbers[] = {
    {.key = "timer_hz", .member = &DeviceProfile::timerHz, .least = 1000, .most = 1'000'000'000},
    {.key = "memory_bytes", .member = &DeviceProfile::memoryBytes, .least = 1u << 20, .most = 1ull << 46},
    {.key = "max_allocation_bytes", .member = &DeviceProfile::maxAllocationBytes, .least = 4096, .most = 1ull << 46},
    {.key = "cache_bytes", .member = &DeviceProfile::cacheBytes, .least = 0, .most = 1ull << 40},
};

class Reader {
  public:
    Reader(std::string file, const std::string& text) : file_(std::move(file)), root_(parse(text)) {}

    Profile read(std::string id) {
        Profile profile{std::move(id), {}};
        const std::uint64_t devices = number(root_, "devices", 1, kMaxDevices);
        const yaml::Node node = root_["device"];
        if (!node.isMap()) fail("device", "must be a map that describes the device");
        const DeviceProfile device = readDevice(node);
        profile.devices.assign(devices, device);
        return profile;
    }

  private:
    [[noreturn]] void fail(const std::string& key, const std::string& what) const {
        throw ProfileError(fmt::format("device profile {}: {}: {}", file_, key, what));
    }

    yaml::Node parse(const std::string& text) const {
        try {
            yaml::Node root = yaml::parse(text);
            if (root.isMap()) return root;
        } catch (const yaml::Error& error) {
            fail("syntax", error.what());
        }
        fail("syntax", "must be a YAML map with the keys 'devices' and 'device'");
    }

    std::uint64_t number(const yaml::Node& map, const char* key, std::uint64_t least, std::uint64_t most) const {
        const yaml::Node node = map[key];
        if (node.isNull()) fail(key, "is missing");
        if (const auto value = node.number(); value && *value >= least && *value <= most) return *value;
        fail(key, fmt::format("must be a whole number from {} to {}", least, most));
    }

    DeviceProfile readDevice(const yaml::Node& map) const {
        DeviceProfile device;
        std::set<std::string> known{"name", "architecture", "product", "timing"};
        const yaml::Node name = map["name"];
        if (name.text().empty()) fail("name", "must be a text");
        device.name = name.text();
        for (const auto& field : kNumbers) {
            device.*field.member = static_cast<std::uint32_t>(number(map, field.key, field.least, field.most));
            known.insert(field.key);
        }
        for (const auto& field : kLongNumbers) {
            device.*field.member = number(map, field.key, field.least, field.most);
            known.insert(field.key);
        }
        for (const auto& field : kTraits) {
            known.insert(field.key);
            if (!map[field.key].isNull())
                device.*field.member = static_cast<std::uint32_t>(number(map, field.key, field.least, field.most));
        }
        for (const auto& entry : map.entries()) {
            if (!known.contains(entry.key)) fail(entry.key, "is not a property of a device");
        }
        device.product = &readProduct(map["product"], readArchitecture(map["architecture"]));
        device.timing = readTiming(map["timing"], device.architecture());
        check(device);
        return device;
    }

    const zetl::isa::xe::Architecture& readArchitecture(const yaml::Node& name) const {
        const auto known = zetl::isa::xe::allArchitectures();
        if (name.isNull()) return *known.front();
        const auto* const found = zetl::isa::xe::findArchitecture(name.text());
        if (found && found->executes) return *found;
        std::string names;
        for (const auto* each : known)
            if (each->executes) names.append(names.empty() ? "" : ", ").append(each->name);
        fail("architecture",
             fmt::format("'{}' {}; known are {}", name.text(), found ? "cannot be executed yet" : "is unknown", names));
    }

    const zetl::isa::xe::Product& readProduct(const yaml::Node& name,
                                              const zetl::isa::xe::Architecture& architecture) const {
        if (name.isNull()) return architecture.product();
        const auto* const found = zetl::isa::xe::findProduct(name.text());
        if (found && found->architecture == &architecture) return *found;
        std::string names;
        for (const auto* each : architecture.products) names.append(names.empty() ? "" : ", ").append(each->name);
        fail("product", fmt::format("'{}' is none of {}'s, which are {}", name.text(), architecture.name, names));
    }

    TimingModel readTiming(const yaml::Node& name, const zetl::isa::xe::Architecture& architecture) const {
        try {
            return loadTiming(name.isNull() ? architecture.name : name.text());
        } catch (const TimingError& error) {
            fail("device", error.what());
        }
    }

    void check(const DeviceProfile& device) const {
        if (device.subslices() > kMaxSubslices) {
            fail("slices", fmt::format("there are at most {} sub-slices in a tile", kMaxSubslices));
        }
        if (device.presentSubslices > device.slices * device.subslicesPerSlice)
            fail("present_subslices", "is more than there are in the slices");
        if (device.maxAllocationBytes > device.memoryBytes * device.tiles) {
            fail("max_allocation_bytes", "is more than the device's memory");
        }
    }

    std::string file_;
    yaml::Node root_;
};

Profile readFile(const std::string& path) {
    try {
        std::ifstream file(path, std::ios::binary);
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        if (!file) throw ProfileError(fmt::format("device profile {}: the file cannot be read", path));
        return Reader(path, text).read(std::filesystem::path(path).stem().string());
    } catch (const std::ios_base::failure&) {
        throw ProfileError(fmt::format("device profile {}: it is a directory, not a .yaml file", path));
    }
}

}  // namespace

std::vector<std::string> profileNames() {
    std::vector<std::string> names;
    for (const EmbeddedProfile& profile : embeddedProfiles()) names.emplace_back(profile.name);
    return names;
}

namespace {

Profile loadOne(std::string_view nameOrPath) {
    if (nameOrPath.find('/') != std::string_view::npos || nameOrPath.ends_with(".yaml")) {
        return readFile(std::string(nameOrPath));
    }
    for (const EmbeddedProfile& profile : embeddedProfiles()) {
        if (nameOrPath == profile.name) return Reader(profile.name, profile.text).read(profile.name);
    }
    throw ProfileError(fmt::format("there is no device profile '{}'; known are {}; or give the path of a .yaml file",
                                   nameOrPath, fmt::join(profileNames(), ", ")));
}

}  // namespace

Profile loadProfile(std::string_view nameOrPath) {
    Profile all;
    all.id = nameOrPath;
    forEachPart(nameOrPath, '+', [&](std::string_view part) {
        Profile one = loadOne(part);
        if (part == nameOrPath) all.id = std::move(one.id);
        all.devices.insert(all.devices.end(), one.devices.begin(), one.devices.end());
    });
    if (all.devices.size() > kMaxDevices)
        throw ProfileError(fmt::format("device profile {}: there are at most {} devices", nameOrPath, kMaxDevices));
    return all;
}

Profile configuredProfile() {
    const auto wanted = settings::text(settings::kEmulatedDevice).value_or("");
    return loadProfile(wanted.empty() ? embeddedProfiles().front().name : wanted);
}

}  // namespace zetl::emulator::machine
