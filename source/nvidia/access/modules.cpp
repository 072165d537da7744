// Section "modules": cubins, those that the driver compiled from PTX too.
#include "provider/modules.h"

#include <vector>

#include "nvidia/access/device_ref.h"
#include "nvidia/access/sections.h"
#include "nvidia/driver/program/cubin.h"
#include "nvidia/driver/program/kernel.h"
#include "nvidia/driver/program/module.h"
#include "nvidia/driver/program/rewriter.h"
#include "provider/image.h"

namespace zetl::nvidia::access {
namespace {

std::shared_ptr<Module> moduleOf(zetl_module_t id) {
    for (auto& module : live<Module>().all())
        if (module->id() == id) return module;
    return nullptr;
}

class NvidiaModules final : public provider::Modules<Backend> {
  public:
    std::vector<zetl_module_t> list(Device& device) const override {
        std::vector<zetl_module_t> ids;
        for (const auto& module : live<Module>().all())
            if (module->place().device.get() == &device) ids.push_back(module->id());
        return ids;
    }
    zetl_status_t describe(zetl_module_t id, zetl_module_info_t& info) const override {
        const auto module = moduleOf(id);
        if (!module) return ZETL_GONE;
        const auto code = module->code();
        if (!code) {
            log::warn(log::Channel::nvidia, "the module has no code before zeModuleDynamicLink has linked its imports");
            return ZETL_UNSUPPORTED;
        }
        if (kindOf(code->image()) != NativeKind::cubin) {
            log::warn(log::Channel::nvidia,
                      "the module was given as a fatbin, and CUDA does not say which part it took; give the cubin");
            return ZETL_UNSUPPORTED;
        }
        info = {.size = sizeof info,
                .image_kind = ZETL_IMAGE_CUBIN,
                .device = idOf(*module->place().device),
                .hash = hashOf(code->image()),
                .load_address = code->address(),
                .code_bytes = code->image().size(),
                .image_bytes = code->image().size(),
                .build_options = module->options().c_str()};
        return ZETL_OK;
    }
    zetl_module_t ofModule(ze_module_handle_t handle) const override {
        const auto module = live<Module>().find(handle);
        return module ? module->id() : 0;
    }
    zetl_module_t ofKernel(ze_kernel_handle_t handle) const override {
        const auto kernel = live<Kernel>().find(handle);
        return kernel ? kernel->parts().module->id() : 0;
    }
    zetl_status_t readImage(zetl_module_t id, std::uint64_t offset, std::uint64_t bytes, void* buffer) const override {
        const auto module = moduleOf(id);
        const auto code = module ? module->code() : nullptr;
        if (!code) return module ? ZETL_UNSUPPORTED : ZETL_GONE;
        return provider::copyImage(placedAt(code->image(), code->address()), offset, bytes, buffer);
    }
    void rewriteBeforeLoad(zetl_rewriter_t rewriter, void* user) const override {
        if (!rewriter) return setRewriter({});
        setRewriter([=](Device& device, std::span<const std::uint8_t> image) -> std::optional<Bytes> {
            if (kindOf(image) != NativeKind::cubin) return std::nullopt;
            return provider::rewritten(rewriter, user, idOf(device), ZETL_IMAGE_CUBIN, image);
        });
    }
};

}  // namespace

const zetl_module_functions_t kModuleFunctions = provider::ModuleTable<NvidiaModules>::kFunctions;

}  // namespace zetl::nvidia::access
