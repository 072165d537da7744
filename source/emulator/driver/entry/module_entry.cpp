// Entry points of zeModule..., zeModuleBuildLog...
#include <fmt/format.h>

#include <cstring>

#include "base/enumerate.h"
#include "driver/build_log.h"
#include "emulator/driver/device/device.h"
#include "emulator/driver/entry/tables.h"
#include "emulator/driver/memory/context.h"
#include "emulator/driver/program/linkage.h"
#include "emulator/driver/program/module.h"
#include "emulator/driver/program/module_source.h"
#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::driver {
namespace {

/// Builds the module and adds it to the live ones; `words` gets the messages of the build.
Status build(Context& context, std::shared_ptr<Device> device, const ze_module_desc_t& description,
             ze_module_handle_t& out, std::string& words) {
    BuiltModule built = buildModule(*device, description);
    words = built.log;
    if (built.status != ZE_RESULT_SUCCESS) return built.status;
    auto module = Module::create(context.shared_from_this(), std::move(device), std::move(built));
    if (!module) return module.code();
    out = live<Module>().add(*std::move(module));
    return ZE_RESULT_SUCCESS;
}

/// Every failure leaves text in the build log: the text of its refusal, unless the build has written its own.
void explain(Status status, std::string& words) {
    if (words.find(lastRefusal()) == std::string::npos || words.empty())
        words += fmt::format("{}: {}\n", codeName(status), lastRefusal());
}

ze_result_t ZE_APICALL create(ze_context_handle_t context, ze_device_handle_t device,
                              const ze_module_desc_t* description, ze_module_handle_t* out,
                              ze_module_build_log_handle_t* log) noexcept {
    return onObject<Context, ZE_RESULT_ERROR_INVALID_NATIVE_BINARY, ZE_RESULT_ERROR_MODULE_BUILD_FAILURE,
                    ZE_RESULT_ERROR_INVALID_SIZE, ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE>(
        "zeModuleCreate", context, {}, [&](Context& object) -> Status {
            auto target = find<Device>(device);
            if (!target) return target.code();
            if (!description || !out) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
            std::string words;
            const Status status = build(object, *std::move(target), *description, *out, words);
            if (status != ZE_RESULT_SUCCESS) explain(status, words);
            BuildLog::give(std::move(words), log);
            return status;
        });
}

ze_result_t ZE_APICALL destroy(ze_module_handle_t module) noexcept {
    return onRemoval<Module>("zeModuleDestroy", module, [](Module& object) {
        object.end();
        return ZE_RESULT_SUCCESS;
    });
}

Result<std::vector<std::shared_ptr<Module>>> findAll(std::uint32_t count, const ze_module_handle_t* modules) {
    std::vector<std::shared_ptr<Module>> found;
    for (std::uint32_t i = 0; i < count; ++i) {
        auto module = find<Module>(modules[i]);
        if (!module) return module.code();
        found.push_back(*std::move(module));
    }
    return found;
}

ze_result_t ZE_APICALL dynamicLink(std::uint32_t count, ze_module_handle_t* modules,
                                   ze_module_build_log_handle_t* log) noexcept {
    return boundary<ZE_RESULT_ERROR_MODULE_LINK_FAILURE>("zeModuleDynamicLink", [&]() -> Status {
        if (!modules) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
        const auto all = findAll(count, modules);
        if (!all) return all.code();
        std::string text;
        const Status status = Module::link(*all, text);
        BuildLog::give(std::move(text), log);
        return status;
    });
}

ze_result_t ZE_APICALL inspectLinkage(ze_linkage_inspection_ext_desc_t* description, std::uint32_t count,
                                      ze_module_handle_t* modules, ze_module_build_log_handle_t* log) noexcept {
    constexpr ze_linkage_inspection_ext_flags_t kFlags = ZE_LINKAGE_INSPECTION_EXT_FLAG_IMPORTS |
                                                         ZE_LINKAGE_INSPECTION_EXT_FLAG_UNRESOLVABLE_IMPORTS |
                                                         ZE_LINKAGE_INSPECTION_EXT_FLAG_EXPORTS;
    return boundary("zeModuleInspectLinkageExt", [&]() -> Status {
        if (!description || !modules || !log) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
        if (description->flags & ~kFlags) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
        const auto all = findAll(count, modules);
        if (!all) return all.code();
        BuildLog::give(describeLinkage(*all, description->flags), log);
        return ZE_RESULT_SUCCESS;
    });
}

ze_result_t ZE_APICALL getNativeBinary(ze_module_handle_t module, std::size_t* size, std::uint8_t* out) noexcept {
    return onObject<Module>("zeModuleGetNativeBinary", module, {size}, [&](Module& object) {
        const auto& native = object.image().native;
        if (out) std::memcpy(out, native.data(), std::min(*size, native.size()));
        *size = native.size();
        return ZE_RESULT_SUCCESS;
    });
}

ze_result_t ZE_APICALL getGlobalPointer(ze_module_handle_t module, const char* name, std::size_t* size,
                                        void** pointer) noexcept {
    return onObject<Module, ZE_RESULT_ERROR_INVALID_GLOBAL_NAME>(
        "zeModuleGetGlobalPointer", module, {name}, [&](Module& object) -> Status {
            const auto variable = object.variable(name);
            if (!variable) return variable.code();
            if (size) *size = variable->size;
            if (pointer) *pointer = reinterpret_cast<void*>(variable->address);
            return ZE_RESULT_SUCCESS;
        });
}

ze_result_t ZE_APICALL getKernelNames(ze_module_handle_t module, std::uint32_t* count, const char** names) noexcept {
    return onObject<Module>("zeModuleGetKernelNames", module, {count}, [&](Module& object) {
        const auto& kernels = object.image().kernels;
        return enumerate(static_cast<std::uint32_t>(kernels.size()), count, names,
                         [&](auto i) { return kernels[i].name.c_str(); });
    });
}

ze_result_t ZE_APICALL getProperties(ze_module_handle_t module, ze_module_properties_t* out) noexcept {
    return onObject<Module>("zeModuleGetProperties", module, {out}, [&](Module& object) {
        out->flags = object.image().imports().empty() ? 0 : ZE_MODULE_PROPERTY_FLAG_IMPORTS;
        return ZE_RESULT_SUCCESS;
    });
}

ze_result_t ZE_APICALL getFunctionPointer(ze_module_handle_t module, const char* name, void** out) noexcept {
    return onObject<Module, ZE_RESULT_ERROR_INVALID_FUNCTION_NAME>("zeModuleGetFunctionPointer", module, {name, out},
                                                                   [&](Module& object) -> Status {
                                                                       const auto function = object.function(name);
                                                                       if (!function) return function.code();
                                                                       *out = *function;
                                                                       return ZE_RESULT_SUCCESS;
                                                                   });
}

ze_result_t ZE_APICALL destroyLog(ze_module_build_log_handle_t log) noexcept {
    return onRemoval<BuildLog>("zeModuleBuildLogDestroy", log, [](BuildLog&) { return ZE_RESULT_SUCCESS; });
}

ze_result_t ZE_APICALL getLogString(ze_module_build_log_handle_t log, std::size_t* size, char* out) noexcept {
    return onObject<BuildLog>("zeModuleBuildLogGetString", log, {size},
                              [&](BuildLog& object) { return object.getString(size, out); });
}

}  // namespace

Rows moduleRows() noexcept {
    static const Served rows[] = {
        ZETL_SERVES(zeModuleCreate, create),
        ZETL_SERVES(zeModuleDestroy, destroy),
        ZETL_SERVES(zeModuleDynamicLink, dynamicLink),
        ZETL_SERVES(zeModuleInspectLinkageExt, inspectLinkage),
        ZETL_SERVES(zeModuleGetNativeBinary, getNativeBinary),
        ZETL_SERVES(zeModuleGetGlobalPointer, getGlobalPointer),
        ZETL_SERVES(zeModuleGetKernelNames, getKernelNames),
        ZETL_SERVES(zeModuleGetProperties, getProperties),
        ZETL_SERVES(zeModuleGetFunctionPointer, getFunctionPointer),
        ZETL_SERVES(zeModuleBuildLogDestroy, destroyLog),
        ZETL_SERVES(zeModuleBuildLogGetString, getLogString),
    };
    return rows;
}

}  // namespace zetl::emulator::driver
