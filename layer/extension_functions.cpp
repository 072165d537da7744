#include "extension_functions.h"

#include <atomic>
#include <string_view>

#include "ddi/loader.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::layer {
namespace {

constinit std::atomic<ddi::Address> addressBelow{nullptr};

bool isTracerFunction(std::string_view name) noexcept {
    return name.starts_with("zelTracer") || name.starts_with("zetlTracer");
}

ze_result_t ZE_APICALL getExtensionFunctionAddress(ze_driver_handle_t hDriver, const char* name,
                                                   void** ppFunctionAddress) {
    if (name && ppFunctionAddress && isTracerFunction(name)) {
        const auto self = ddi::SharedObject::holding(reinterpret_cast<const void*>(&getExtensionFunctionAddress));
        if (void* own = self.symbol(name)) {
            *ppFunctionAddress = own;
            return ZE_RESULT_SUCCESS;
        }
    }
    const auto next = reinterpret_cast<decltype(&zeDriverGetExtensionFunctionAddress)>(addressBelow.load());
    return next ? next(hDriver, name, ppFunctionAddress) : ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
}

}  // namespace

ddi::Address withOwnFunctions(ddi::Address held) noexcept {
    addressBelow.store(held);
    return reinterpret_cast<ddi::Address>(&getExtensionFunctionAddress);
}

}  // namespace zetl::layer
