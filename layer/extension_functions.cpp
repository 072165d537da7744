#include "extension_functions.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <string_view>

#include "base/mutex.h"
#include "ddi/loader.h"
#include "ddi/trampoline.h"
#include "failing_calls.h"
#include "former_graph_functions.h"
#include "next_function.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::layer {
namespace {

constinit std::atomic<ddi::Address> addressBelow{nullptr};

Mutex routing;  // routes that are given their end here

/// True if the loader finds the driver of a call by the table that its handle begins with. Loaders whose own tables
/// have functions of specification 1.17 hand such handles on unchanged.
bool handlesBeginWithTables(ze_driver_handle_t driver) noexcept {
    const auto getProperties = ZETL_NEXT(zeDriverGetProperties);
    ze_driver_ddi_handles_ext_properties_t tables{};
    tables.stype = ZE_STRUCTURE_TYPE_DRIVER_DDI_HANDLES_EXT_PROPERTIES;
    ze_driver_properties_t properties{};
    properties.stype = ZE_STRUCTURE_TYPE_DRIVER_PROPERTIES;
    properties.pNext = &tables;
    return getProperties && getProperties(driver, &properties) == ZE_RESULT_SUCCESS &&
           (tables.flags & ZE_DRIVER_DDI_HANDLE_EXT_FLAG_DDI_HANDLE_EXT_SUPPORTED) != 0;
}

/// What the application calls instead of `found`, so that its calls are traced as those through the loader are. It is
/// `found` itself if no table has the function, or if the loader's calls of it go elsewhere: to another driver's
/// function, or to one that expects other handles.
ddi::Address traced(ze_driver_handle_t driver, std::string_view name, ddi::Address found) noexcept {
    constexpr std::uint8_t kHandsHandlesOn = 17;
    const auto* const rows = std::begin(ddi::kFunctionRows);
    const auto* const row =
        std::find_if(rows, rows + ddi::kTraced, [&](const auto& each) { return name == each.name; });
    if (row == rows + ddi::kTraced) return found;
    const auto& trampoline = ddi::kTrampolines[row - rows];
    auto& route = ddi::route(ddi::Function(row - rows));
    const Lock lock(routing);
    const auto next = route.next();
    if (!next || next == trampoline.unsupported) {
        route.setNext(found);
        letFail(ddi::Function(row - rows));
    }
    const bool same = route.next() == found || (row->minor >= kHandsHandlesOn && handlesBeginWithTables(driver));
    return same ? trampoline.call : found;
}

/// The same for a name that the driver finds at `found`. A former graph function whose successor the driver has, too,
/// becomes that one's call.
ddi::Address tracedByName(ze_driver_handle_t driver, std::string_view name, ddi::Address found) noexcept {
    const auto* const former = formerGraphFunction(name);
    if (!former) return traced(driver, name, found);
    const auto next = reinterpret_cast<decltype(&zeDriverGetExtensionFunctionAddress)>(addressBelow.load());
    void* standard = nullptr;
    if (next(driver, former->standard, &standard) != ZE_RESULT_SUCCESS || !standard) return found;
    const auto untraced = reinterpret_cast<ddi::Address>(standard);
    return traced(driver, former->standard, untraced) == untraced ? found : former->byTables;
}

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
    if (!next) return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    const ze_result_t result = next(hDriver, name, ppFunctionAddress);
    if (result == ZE_RESULT_SUCCESS && name && ppFunctionAddress && *ppFunctionAddress)
        *ppFunctionAddress =
            reinterpret_cast<void*>(tracedByName(hDriver, name, reinterpret_cast<ddi::Address>(*ppFunctionAddress)));
    return result;
}

}  // namespace

ddi::Address withOwnFunctions(ddi::Address held) noexcept {
    addressBelow.store(held);
    return reinterpret_cast<ddi::Address>(&getExtensionFunctionAddress);
}

}  // namespace zetl::layer
