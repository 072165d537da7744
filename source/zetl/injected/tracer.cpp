#include "injected/tracer.h"

#include <dlfcn.h>

#include <string>

namespace zetl::command {
namespace {

using Register = ze_result_t (*)(zel_tracer_handle_t tracer, zel_tracer_reg_t when, void (*callback)());

/// zeMemAllocDevice is registered by zelTracerMemAllocDeviceRegisterCallback, zerGetLastErrorDescription without "zer".
std::string registrationOf(std::string_view function) {
    const auto prefix = function.starts_with("zer") && function[3] >= 'A' && function[3] <= 'Z' ? 3u : 2u;
    return "zelTracer" + std::string(function.substr(prefix)) + "RegisterCallback";
}

}  // namespace

std::optional<Tracer> Tracer::create(void* layer) {
    using GetTable = ze_result_t (*)(ze_api_version_t, zel_tracer_dditable_t*);
    const auto getTable = reinterpret_cast<GetTable>(dlsym(layer, "zelGetTracerApiProcAddrTable"));
    zel_tracer_dditable_t table{};
    // The table has not changed since 1.0.
    if (!getTable || getTable(ZE_API_VERSION_1_0, &table) != ZE_RESULT_SUCCESS) return std::nullopt;
    zel_tracer_desc_t description{ZEL_STRUCTURE_TYPE_TRACER_DESC, nullptr, nullptr};
    zel_tracer_handle_t handle = nullptr;
    if (table.pfnCreate(&description, &handle) != ZE_RESULT_SUCCESS) return std::nullopt;
    return Tracer(layer, table, handle);
}

void Tracer::addAny(std::string_view function, zel_tracer_reg_t when, void (*callback)()) {
    if (const auto add = reinterpret_cast<Register>(dlsym(layer_, registrationOf(function).c_str())))
        add(handle_, when, callback);
}

bool Tracer::enable() { return calls_.pfnSetEnabled(handle_, true) == ZE_RESULT_SUCCESS; }

void Tracer::disable() { calls_.pfnSetEnabled(handle_, false); }

void Tracer::destroy() { calls_.pfnDestroy(handle_); }

}  // namespace zetl::command
