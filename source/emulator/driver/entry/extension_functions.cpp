#include "emulator/driver/entry/extension_functions.h"

#include <map>

#include "base/never_destroyed.h"
#include "base/synchronized.h"
#include "emulator/driver/entry/tables.h"

namespace zetl::emulator::driver {
namespace {

using Offered = Synchronized<std::map<std::string_view, void*>>;

Offered& offered() {
    static NeverDestroyed<Offered> functions;
    return *functions;
}

}  // namespace

void* extensionFunction(std::string_view name) {
    void* const found = offered().read([&](const auto& functions) -> void* {
        const auto entry = functions.find(name);
        return entry == functions.end() ? nullptr : entry->second;
    });
    return found ? found : servedFunction(name);
}

Status giveExtensionFunction(const char* name, void*& out) {
    out = extensionFunction(name);
    if (out) return ZE_RESULT_SUCCESS;
    return refuseProbe(ZE_RESULT_ERROR_INVALID_ARGUMENT, "there is no extension function of the name {}", name);
}

void offerExtensionFunction(std::string_view name, void* address) {
    offered().write([&](auto& functions) { functions[name] = address; });
}

}  // namespace zetl::emulator::driver
