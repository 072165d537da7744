#include "debug/module_map.h"

#include <cstring>

namespace zetl::debug {

zet_debug_event_t DebuggedModule::event(zet_debug_event_type_t type) const noexcept {
    zet_debug_event_t event;
    std::memset(&event, 0, sizeof event);  // debuggers hand it back and may compare it bytewise
    event.type = type;
    event.info.module.format = ZET_MODULE_DEBUG_INFO_FORMAT_ELF_DWARF;
    event.info.module.moduleBegin = imageBegin;
    event.info.module.moduleEnd = imageEnd();
    event.info.module.load = info.load_address;
    if (type == ZET_DEBUG_EVENT_TYPE_MODULE_LOAD && hold != 0) event.flags = ZET_DEBUG_EVENT_FLAG_NEED_ACK;
    return event;
}

DebuggedModule& ModuleMap::add(zetl_module_t id, const zetl_module_info_t& info, std::uint64_t hold) {
    DebuggedModule module;
    module.id = id;
    module.info = info;
    module.hold = hold;
    module.imageBegin = nextImage_;
    nextImage_ += (info.image_bytes / kPage + 2) * kPage;
    return modules_[id] = module;
}

DebuggedModule* ModuleMap::find(zetl_module_t id) {
    const auto found = modules_.find(id);
    return found == modules_.end() ? nullptr : &found->second;
}

const DebuggedModule* ModuleMap::byCode(std::uint64_t address) const {
    for (const auto& [id, module] : modules_)
        if (module.info.load_address <= address && address < module.codeEnd()) return &module;
    return nullptr;
}

const DebuggedModule* ModuleMap::byImage(std::uint64_t address) const {
    for (const auto& [id, module] : modules_)
        if (module.imageBegin <= address && address < module.imageEnd()) return &module;
    return nullptr;
}

DebuggedModule* ModuleMap::byEvent(const zet_debug_event_t& event) {
    for (auto& [id, module] : modules_)
        if (module.imageBegin == event.info.module.moduleBegin && module.info.load_address == event.info.module.load)
            return &module;
    return nullptr;
}

}  // namespace zetl::debug
