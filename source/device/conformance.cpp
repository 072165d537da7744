#include "device/conformance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <set>

namespace zetl::device {
namespace {

using Findings = std::vector<std::string>;

/// A section is a size, a reserved word and function pointers, and nothing else.
constexpr std::size_t kSectionHead = 2 * sizeof(std::uint32_t);
/// The size of a structure to be filled that has room for its size alone.
constexpr std::uint32_t kTooSmall = sizeof(std::uint32_t);

/// `least`: the size that the section had before functions were appended to it.
template <class Section>
void checkSection(const char* name, const Section* section, Findings& findings, std::size_t least = sizeof(Section)) {
    static_assert((sizeof(Section) - kSectionHead) % sizeof(void*) == 0);
    if (!section) return;
    if (section->size < least) {
        findings.push_back(fmt::format("{}: size {} is below the {} of version {}", name, section->size, least,
                                       ZETL_DEVICE_ACCESS_VERSION));
        return;
    }
    std::vector<void*> functions((std::min<std::size_t>(section->size, sizeof(Section)) - kSectionHead) /
                                 sizeof(void*));
    std::memcpy(functions.data(), reinterpret_cast<const char*>(section) + kSectionHead,
                functions.size() * sizeof(void*));
    for (std::size_t i = 0; i < functions.size(); ++i)
        if (!functions[i]) findings.push_back(fmt::format("{}: function {} is null", name, i));
}

void checkLevels(const zetl_device_info_t& info, Findings& findings) {
    if (info.level_count > ZETL_MAX_LEVELS) {
        findings.push_back(fmt::format("{}: {} thread levels", info.name, info.level_count));
        return;
    }
    for (std::uint32_t i = 0; i < info.level_count; ++i)
        if (!info.levels[i].name || info.levels[i].count == 0)
            findings.push_back(fmt::format("{}: thread level {} has no name or no values", info.name, i));
}

void checkDevice(const zetl_device_info_t& info, Findings& findings) {
    if (!info.name || !info.chip) {
        findings.emplace_back("a device has no name or no chip");
        return;
    }
    checkLevels(info, findings);
    for (std::uint32_t source = 0; source < ZETL_SOURCES; ++source)
        for (std::uint32_t other = 0; other < ZETL_SOURCES; ++other)
            if (((info.together[source] >> other) & 1) != ((info.together[other] >> source) & 1))
                findings.push_back(
                    fmt::format("{}: sources {} and {} disagree about each other", info.name, source, other));
    if (info.query_kind > ZETL_QUERY_HOST_BRACKETED)
        findings.push_back(fmt::format("{}: unknown query kind", info.name));
}

void checkClocks(const zetl_clock_functions_t& clocks, zetl_device_t device, const char* name, Findings& findings) {
    zetl_clock_info_t info{};
    info.size = sizeof info;
    if (clocks.describe(device, ZETL_CLOCK_DEVICE, &info) != ZETL_OK) {
        findings.push_back(fmt::format("{}: no device clock", name));
        return;
    }
    if (info.ticks_per_second == 0 || info.step == 0 || info.valid_bits == 0 || info.valid_bits > 64)
        findings.push_back(fmt::format("{}: the device clock's rate, step or width is impossible", name));
    info.size = kTooSmall;
    if (clocks.describe(device, ZETL_CLOCK_DEVICE, &info) != ZETL_MISUSE)
        findings.push_back(fmt::format("{}: a clock is described beyond the size that the caller gave", name));
}

void checkCatalog(const zetl_counter_functions_t& counters, const char* chip, Findings& findings) {
    std::uint32_t count = 0;
    const auto status = counters.catalog(chip, 0, nullptr, &count);
    if (status == ZETL_UNSUPPORTED) return;
    std::vector<const zetl_counter_info_t*> infos(count);
    if (status != ZETL_OK || counters.catalog(chip, count, infos.data(), &count) != ZETL_OK || count != infos.size()) {
        findings.push_back(fmt::format("{}: the counter catalogue does not keep the counting rule", chip));
        return;
    }
    std::set<std::string> names;
    for (const auto* info : infos) {
        if (!info || !info->name || !info->unit || !info->description || !info->block)
            findings.push_back(fmt::format("{}: a counter lacks name, unit, block or description", chip));
        else if (!names.insert(info->name).second)
            findings.push_back(fmt::format("{}: counter {} is listed twice", chip, info->name));
    }
    const char* unknown[] = {"no such counter"};
    zetl_plan_info_t plan{};
    plan.size = sizeof plan;
    if (counters.plan(chip, ZETL_SOURCE_QUERY, 1, unknown, &plan, 0, nullptr) != ZETL_GONE)
        findings.push_back(fmt::format("{}: a plan with an unknown counter is not refused as gone", chip));
}

void checkRegisterSets(const zetl_target_functions_t& targets, zetl_device_t device, const char* name,
                       Findings& findings) {
    std::uint32_t count = 0;
    if (targets.register_sets(device, 0, nullptr, &count) != ZETL_OK) {
        findings.push_back(fmt::format("{}: debuggable, but without register sets", name));
        return;
    }
    std::vector<const zetl_register_set_t*> sets(count);
    targets.register_sets(device, count, sets.data(), &count);
    for (const auto* set : sets)
        if (!set || !set->name || set->count == 0 || set->bits > set->bytes * 8)
            findings.push_back(fmt::format("{}: a register set is empty, unnamed or wider than its bytes", name));
}

void checkUnknownDevice(const zetl_device_access_t& access, Findings& findings) {
    zetl_device_info_t info{};
    info.size = sizeof info;
    if (access.devices->describe(0, &info) != ZETL_GONE) findings.emplace_back("device 0 is not refused as gone");
}

}  // namespace

bool offersCommands(const zetl_device_access_t& access) noexcept {
    return access.size >= offsetof(zetl_device_access_t, event_memory);
}
bool offersEventMemory(const zetl_device_access_t& access) noexcept { return access.size >= sizeof access; }

bool offersBreakpoints(const zetl_target_functions_t& targets) noexcept { return targets.size >= sizeof targets; }

std::vector<std::string> violations(const zetl_device_access_t* access) {
    Findings findings;
    if (!access) return {"no table"};
    constexpr auto kLeast = offsetof(zetl_device_access_t, commands);
    if (access->size < kLeast) return {fmt::format("size {} is below {}", access->size, kLeast)};
    if (access->version < 1) findings.emplace_back("version 0");
    if (!access->provider) findings.emplace_back("the provider has no name");
    if (!access->devices) findings.emplace_back("devices: the mandatory section is missing");
    checkSection("devices", access->devices, findings);
    checkSection("clocks", access->clocks, findings);
    checkSection("counters", access->counters, findings);
    checkSection("streams", access->streams, findings);
    checkSection("sampling", access->sampling, findings);
    checkSection("modules", access->modules, findings);
    checkSection("targets", access->targets, findings, offsetof(zetl_target_functions_t, breakpoint));
    if (offersCommands(*access)) checkSection("commands", access->commands, findings);
    if (offersEventMemory(*access)) checkSection("event memory", access->event_memory, findings);
    return findings;
}

std::vector<std::string> behaviourViolations(const zetl_device_access_t& access) {
    Findings findings = violations(&access);
    if (!findings.empty()) return findings;
    checkUnknownDevice(access, findings);
    std::uint32_t count = 0;
    if (access.devices->list(0, nullptr, &count) != ZETL_OK) return {"the number of devices cannot be asked"};
    std::vector<zetl_device_t> devices(count);
    if (count && access.devices->list(count, devices.data(), &count) != ZETL_OK)
        return {"the devices cannot be listed"};
    for (const auto device : devices) {
        zetl_device_info_t info{};
        info.size = sizeof info;
        if (device == 0 || access.devices->describe(device, &info) != ZETL_OK) {
            findings.emplace_back("a listed device cannot be described");
            continue;
        }
        checkDevice(info, findings);
        zetl_device_info_t small{};
        small.size = kTooSmall;
        if (access.devices->describe(device, &small) != ZETL_MISUSE)
            findings.push_back(fmt::format("device {} is described beyond the size that the caller gave", device));
        if (!info.name || !info.chip) continue;
        if (access.clocks) checkClocks(*access.clocks, device, info.name, findings);
        if (access.counters) checkCatalog(*access.counters, info.chip, findings);
        if (access.targets && info.target_places) checkRegisterSets(*access.targets, device, info.name, findings);
    }
    return findings;
}

}  // namespace zetl::device
