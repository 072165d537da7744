// Section "modules".
#include "emulator/access/device_ref.h"
#include "emulator/access/module_table.h"
#include "emulator/access/sections.h"
#include "emulator/access/tool_hooks.h"
#include "emulator/driver/program/kernel.h"
#include "emulator/driver/shared_parts.h"
#include "provider/filled.h"
#include "provider/listing.h"

namespace zetl::emulator::access {
namespace {

zetl_status_t list(zetl_device_t id, std::uint32_t capacity, zetl_module_t* modules, std::uint32_t* count) noexcept {
    return guarded([&] {
        auto* const device = deviceOf(id);
        if (!device) return ZETL_GONE;
        return provider::list(ModuleTable::instance().of(*device), capacity, modules, count);
    });
}

zetl_status_t describe(zetl_module_t module, zetl_module_info_t* info) noexcept {
    return guarded(
        [&] { return provider::canBeFilled(info) ? ModuleTable::instance().describe(module, *info) : ZETL_MISUSE; });
}

zetl_status_t ofModule(ze_module_handle_t handle, zetl_module_t* id) noexcept {
    return guarded([&] {
        const auto module = driver::live<driver::Module>().find(handle);
        if (!module) return ZETL_GONE;
        if (!id) return ZETL_MISUSE;
        *id = module->id();
        return ZETL_OK;
    });
}

zetl_status_t ofKernel(ze_kernel_handle_t handle, zetl_module_t* id) noexcept {
    return guarded([&] {
        const auto kernel = driver::live<driver::Kernel>().find(handle);
        if (!kernel) return ZETL_GONE;
        if (!id) return ZETL_MISUSE;
        *id = kernel->module()->id();
        return ZETL_OK;
    });
}

zetl_status_t readImage(zetl_module_t module, std::uint64_t offset, std::uint64_t bytes, void* buffer) noexcept {
    return guarded([&] {
        if (!buffer && bytes > 0) return ZETL_MISUSE;
        return ModuleTable::instance().readImage(module, offset, bytes, buffer);
    });
}

zetl_status_t rewriteBeforeLoad(zetl_rewriter_t rewriter, void* user) noexcept {
    return guarded([&] {
        setRewriter(rewriter, user);
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

}  // namespace zetl::emulator::access
