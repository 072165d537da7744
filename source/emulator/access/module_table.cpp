#include "emulator/access/module_table.h"

#include <fmt/format.h>

#include "base/log.h"
#include "base/never_destroyed.h"
#include "emulator/access/device_ref.h"
#include "emulator/access/image_kind.h"
#include "emulator/module/debug_image.h"
#include "provider/image.h"

namespace zetl::emulator::access {
namespace {

/// FNV-1a, 64 bit: keys stored data, no protection.
std::uint64_t hashOf(const std::vector<std::uint8_t>& bytes) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const auto byte : bytes) hash = (hash ^ byte) * 0x100000001b3;
    return hash;
}

/// The build options a module was made with. The driver reads the profile flags itself, so the compiler does not record
/// them; and what a native binary recorded of another build does not hold for this module.
std::string optionsOf(const driver::Module& module) {
    constexpr const char* kProfileOption = "-zet-profile-flags";
    const auto& recorded = module.buildOptions();
    if (module.profileFlags() != 0) return fmt::format("{} {:x} {}", kProfileOption, module.profileFlags(), recorded);
    return recorded.find(kProfileOption) == std::string::npos ? recorded : std::string();
}

}  // namespace

ModuleTable& ModuleTable::instance() {
    static NeverDestroyed<ModuleTable> table;
    return *table;
}

void ModuleTable::add(driver::Module& module) {
    const Lock guard(mutex_);
    entries_[module.id()] = {&module, optionsOf(module), nullptr};
}

void ModuleTable::remove(const driver::Module& module) {
    const Lock guard(mutex_);
    entries_.erase(module.id());
}

std::shared_ptr<const std::vector<std::uint8_t>> ModuleTable::image(Entry& entry) {
    if (entry.image) return entry.image;
    auto made = module::makeDebugImage(entry.module->linked());
    if (!made) {
        log::warn(log::Channel::emulator, "no debug image of module {}: {}; its binary stands in", entry.module->id(),
                  made.error().message);
        entry.image = std::make_shared<const std::vector<std::uint8_t>>(entry.module->image().native);
    } else {
        entry.image = std::make_shared<const std::vector<std::uint8_t>>(*std::move(made));
    }
    return entry.image;
}

zetl_status_t ModuleTable::describe(zetl_module_t id, zetl_module_info_t& info) {
    const Lock guard(mutex_);
    const auto found = entries_.find(id);
    if (found == entries_.end()) return ZETL_GONE;
    const auto& module = *found->second.module;
    info = {};
    info.size = sizeof info;
    info.device = idOf(module.device());
    info.hash = hashOf(module.image().native);
    info.load_address = module.code()->address();
    info.code_bytes = module.code()->bytes();
    const auto shown = image(found->second);
    info.image_kind = kindOf(*shown);
    info.image_bytes = shown->size();
    info.build_options = found->second.options.c_str();
    return ZETL_OK;
}

zetl_status_t ModuleTable::readImage(zetl_module_t id, std::uint64_t offset, std::uint64_t bytes, void* buffer) {
    std::shared_ptr<const std::vector<std::uint8_t>> image;
    {
        const Lock guard(mutex_);
        const auto found = entries_.find(id);
        if (found == entries_.end()) return ZETL_GONE;
        image = this->image(found->second);
    }
    return provider::copyImage(*image, offset, bytes, buffer);
}

zetl_module_t ModuleTable::holding(driver::Device& device, std::uint64_t address) const {
    const Lock guard(mutex_);
    for (const auto& [id, entry] : entries_) {
        const auto& code = *entry.module->code();
        if (&entry.module->device().root() == &device.root() && address - code.address() < code.bytes()) return id;
    }
    return 0;
}

std::vector<zetl_module_t> ModuleTable::of(driver::Device& device) const {
    const Lock guard(mutex_);
    std::vector<zetl_module_t> ids;
    for (const auto& [id, entry] : entries_)
        if (entry.module->device().sharesTilesWith(device)) ids.push_back(id);
    return ids;
}

}  // namespace zetl::emulator::access
