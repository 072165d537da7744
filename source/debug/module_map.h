// The modules of a debugged process, and the address ranges by which a debugger knows them.
#pragma once

#include <level_zero/zet_api.h>
#include <ze_tools_layer/device_access.h>

#include <cstdint>
#include <map>
#include <optional>

namespace zetl::debug {

struct DebuggedModule {
    zetl_module_t id = 0;
    zetl_module_info_t info{};
    std::uint64_t imageBegin = 0;  ///< invented addresses at which the session serves the debug image
    std::uint64_t hold = 0;        ///< outstanding; 0: no acknowledgement is missing
    bool announced = false;        ///< its load event was queued, and no unload event since then

    std::uint64_t imageEnd() const noexcept { return imageBegin + info.image_bytes; }
    std::uint64_t codeEnd() const noexcept { return info.load_address + info.code_bytes; }
    zet_debug_event_t event(zet_debug_event_type_t type) const noexcept;
};

/// Not thread-safe.
class ModuleMap {
  public:
    /// Images get ranges above every address that a device can map (upper canonical half). No range is used twice in a
    /// session.
    DebuggedModule& add(zetl_module_t id, const zetl_module_info_t& info, std::uint64_t hold);
    void remove(zetl_module_t id) { modules_.erase(id); }
    DebuggedModule* find(zetl_module_t id);
    const DebuggedModule* byCode(std::uint64_t address) const;
    const DebuggedModule* byImage(std::uint64_t address) const;
    /// The module with the same facts in its load event.
    DebuggedModule* byEvent(const zet_debug_event_t& event);
    std::map<zetl_module_t, DebuggedModule>& all() noexcept { return modules_; }

  private:
    static constexpr std::uint64_t kFirstImage = 0xFFFF'9000'0000'0000;
    static constexpr std::uint64_t kPage = 0x1000;
    std::uint64_t nextImage_ = kFirstImage;
    std::map<zetl_module_t, DebuggedModule> modules_;
};

}  // namespace zetl::debug
