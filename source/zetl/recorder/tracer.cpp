#include "recorder/tracer.h"

namespace zetl::recorder {
namespace {

using Register = ze_result_t (*)(zel_tracer_handle_t tracer, zel_tracer_reg_t when, Callback callback);

/// zeMemAllocDevice is registered by zelTracerMemAllocDeviceRegisterCallback, zerGetLastErrorDescription without "zer".
std::string registrationOf(std::string_view function) {
    const auto prefix = function.starts_with("zer") && function[3] >= 'A' && function[3] <= 'Z' ? 3u : 2u;
    return "zelTracer" + std::string(function.substr(prefix)) + "RegisterCallback";
}

}  // namespace

bool trace(void* layer, const std::function<void(const AddCallbacks&)>& addAll) {
    using GetTable = ze_result_t (*)(ze_api_version_t, zel_tracer_dditable_t*);
    const auto getTable = reinterpret_cast<GetTable>(dlsym(layer, "zelGetTracerApiProcAddrTable"));
    zel_tracer_dditable_t table{};
    // The table has not changed since 1.0.
    if (!getTable || getTable(ZE_API_VERSION_1_0, &table) != ZE_RESULT_SUCCESS) return false;
    zel_tracer_desc_t description{ZEL_STRUCTURE_TYPE_TRACER_DESC, nullptr, nullptr};
    zel_tracer_handle_t tracer = nullptr;
    if (table.pfnCreate(&description, &tracer) != ZE_RESULT_SUCCESS) return false;
    addAll([&](std::string_view function, Callback enter, Callback leave) {
        const auto add = reinterpret_cast<Register>(dlsym(layer, registrationOf(function).c_str()));
        if (add && enter) add(tracer, ZEL_REGISTER_PROLOGUE, enter);
        if (add && leave) add(tracer, ZEL_REGISTER_EPILOGUE, leave);
    });
    return table.pfnSetEnabled(tracer, true) == ZE_RESULT_SUCCESS;
}

}  // namespace zetl::recorder
