// The driver's live modules, for debuggers and samplers.
#pragma once

#include <ze_tools_layer/device_access.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "emulator/driver/program/module.h"

namespace zetl::emulator::access {

/// Fed by Targets; ids are Module::id(). Debug images are made when first asked for. Thread-safe. An entry's
/// module stays whole while the table is locked: remove() comes before the last owner lets go.
class ModuleTable {
  public:
    static ModuleTable& instance();

    void add(driver::Module& module);
    void remove(const driver::Module& module);

    /// Returns GONE if it ended.
    zetl_status_t describe(zetl_module_t id, zetl_module_info_t& info);
    zetl_status_t readImage(zetl_module_t id, std::uint64_t offset, std::uint64_t bytes, void* buffer);
    /// The module whose code contains the address; 0 if there is none.
    zetl_module_t holding(driver::Device& device, std::uint64_t address) const;
    /// Modules that can run on the device: its own, those of its sub-devices, and for a sub-device also its root's.
    std::vector<zetl_module_t> of(driver::Device& device) const;

  private:
    struct Entry {
        driver::Module* module;
        std::string options;
        std::shared_ptr<const std::vector<std::uint8_t>> image;
    };
    std::shared_ptr<const std::vector<std::uint8_t>> image(Entry& entry) ZETL_REQUIRES(mutex_);

    mutable Mutex mutex_;
    std::map<zetl_module_t, Entry> entries_ ZETL_GUARDED_BY(mutex_);
};

}  // namespace zetl::emulator::access
