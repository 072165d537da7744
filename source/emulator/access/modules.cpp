// Section "modules".
#include "provider/modules.h"

#include "emulator/access/device_ref.h"
#include "emulator/access/module_table.h"
#include "emulator/access/sections.h"
#include "emulator/access/tool_hooks.h"
#include "emulator/driver/program/kernel.h"
#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::access {
namespace {

class EmulatedModules final : public provider::Modules<Backend> {
  public:
    std::vector<zetl_module_t> list(Device& device) const override { return ModuleTable::instance().of(device); }
    zetl_status_t describe(zetl_module_t module, zetl_module_info_t& info) const override {
        return ModuleTable::instance().describe(module, info);
    }
    zetl_module_t ofModule(ze_module_handle_t handle) const override {
        const auto module = driver::live<driver::Module>().find(handle);
        return module ? module->id() : 0;
    }
    zetl_module_t ofKernel(ze_kernel_handle_t handle) const override {
        const auto kernel = driver::live<driver::Kernel>().find(handle);
        return kernel ? kernel->module()->id() : 0;
    }
    zetl_status_t readImage(zetl_module_t module, std::uint64_t offset, std::uint64_t bytes,
                            void* buffer) const override {
        return ModuleTable::instance().readImage(module, offset, bytes, buffer);
    }
    void rewriteBeforeLoad(zetl_rewriter_t rewriter, void* user) const override { setRewriter(rewriter, user); }
};

}  // namespace

const zetl_module_functions_t kModuleFunctions = provider::ModuleTable<EmulatedModules>::kFunctions;

}  // namespace zetl::emulator::access
