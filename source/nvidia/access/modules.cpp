// Section "modules": cubins, those that the driver compiled from PTX too.
#include <cstring>
#include <vector>

#include "nvidia/access/device_ref.h"
#include "nvidia/access/sections.h"
#include "nvidia/driver/program/cubin.h"
#include "nvidia/driver/program/kernel.h"
#include "nvidia/driver/program/module.h"
#include "nvidia/driver/program/rewriter.h"
#include "provider/filled.h"
#include "provider/listing.h"

namespace zetl::nvidia::access {
namespace {

std::shared_ptr<Module> moduleOf(zetl_module_t id) {
    for (auto& module : live<Module>().all())
        if (module->id() == id) return module;
    return nullptr;
}

zetl_status_t list(zetl_device_t id, std::uint32_t capacity, zetl_module_t* modules, std::uint32_t* count) noexcept {
    return guarded([&] {
        const auto* const device = deviceOf(id);
        if (!device) return ZETL_GONE;
        auto all = live<Module>().all();
        std::erase_if(all, [=](const auto& module) { return module->place().device.get() != device; });
        return provider::list(all, capacity, modules, count, [](const auto& module) { return module->id(); });
    });
}

zetl_status_t describe(zetl_module_t id, zetl_module_info_t* info) noexcept {
    return guarded([&] {
        if (!provider::canBeFilled(info)) return ZETL_MISUSE;
        const auto module = moduleOf(id);
        if (!module) return ZETL_GONE;
        if (kindOf(module->image()) != NativeKind::cubin) {
            log::warn(log::Channel::nvidia,
                      "the module was given as a fatbin, and CUDA does not say which part it took; give the cubin");
            return ZETL_UNSUPPORTED;
        }
        *info = {};
        info->size = sizeof *info;
        info->image_kind = ZETL_IMAGE_CUBIN;
        info->device = idOf(*module->place().device);
        info->hash = hashOf(module->image());
        info->load_address = module->codeAddress();
        info->code_bytes = module->image().size();
        info->image_bytes = module->image().size();
        info->build_options = module->options().c_str();
        return ZETL_OK;
    });
}

template <class T, class H, class F>
zetl_status_t idBehind(H handle, zetl_module_t* id, F&& moduleIn) noexcept {
    return guarded([&] {
        const auto object = live<T>().find(handle);
        if (!object) return ZETL_GONE;
        if (!id) return ZETL_MISUSE;
        *id = moduleIn(*object).id();
        return ZETL_OK;
    });
}

zetl_status_t ofModule(ze_module_handle_t handle, zetl_module_t* id) noexcept {
    return idBehind<Module>(handle, id, [](const Module& module) -> const Module& { return module; });
}

zetl_status_t ofKernel(ze_kernel_handle_t handle, zetl_module_t* id) noexcept {
    return idBehind<Kernel>(handle, id, [](const Kernel& kernel) -> const Module& { return *kernel.parts().module; });
}

zetl_status_t readImage(zetl_module_t id, std::uint64_t offset, std::uint64_t bytes, void* buffer) noexcept {
    return guarded([&] {
        if (!buffer && bytes > 0) return ZETL_MISUSE;
        const auto module = moduleOf(id);
        if (!module || offset > module->image().size() || bytes > module->image().size() - offset) return ZETL_GONE;
        const auto placed = placedAt(module->image(), module->codeAddress());
        if (bytes > 0) std::memcpy(buffer, placed.data() + offset, bytes);
        return ZETL_OK;
    });
}

zetl_status_t rewriteBeforeLoad(zetl_rewriter_t rewriter, void* user) noexcept {
    return guarded([&] {
        if (!rewriter) {
            setRewriter({});
            return ZETL_OK;
        }
        setRewriter([=](Device& device, std::span<const std::uint8_t> image) -> std::optional<Bytes> {
            if (kindOf(image) != NativeKind::cubin) return std::nullopt;
            std::uint64_t bytes = 0;
            const auto* const changed = static_cast<const std::uint8_t*>(
                rewriter(user, idOf(device), ZETL_IMAGE_CUBIN, image.data(), image.size(), &bytes));
            return changed ? std::optional<Bytes>(Bytes(changed, changed + bytes)) : std::nullopt;
        });
        return ZETL_OK;
    });
}

}  // namespace

const zetl_module_functions_t kModuleFunctions = {
    .size = sizeof kModuleFunctions,
    .reserved = 0,
    .list = list,
    .describe = describe,
    .of_module = ofModule,
    .of_kernel = ofKernel,
    .read_image = readImage,
    .rewrite_before_load = rewriteBeforeLoad,
};

}  // namespace zetl::nvidia::access
