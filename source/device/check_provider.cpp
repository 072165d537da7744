// zetl_check_provider checks whether a library keeps the form of the device-access interface. For makers of backends.
//
//   zetl_check_provider LIBRARY
//
// LIBRARY is a Level Zero driver that offers device access, or exports the function of that name itself. Exit code 0:
// it conforms. 1: it does not; one line is printed per finding. 2: there is nothing to check.
#include <dlfcn.h>
#include <level_zero/ze_ddi.h>

#include <cstdio>

#include "base/result_name.h"
#include "device/conformance.h"

namespace zetl::device {
namespace {

constexpr int kConforms = 0;
constexpr int kFindings = 1;
constexpr int kNothing = 2;

int nothing(const char* library, const char* why) {
    std::fprintf(stderr, "zetl_check_provider: %s: %s\n", library, why);
    return kNothing;
}

/// Fills a driver's table by its getter. Prints a message and returns false if the library is no driver, or refuses our
/// version.
template <class Table>
bool fill(void* library, const char* name, const char* getter, Table& table) {
    using Getter = ze_result_t(ZE_APICALL*)(ze_api_version_t, Table*);
    const auto get = reinterpret_cast<Getter>(dlsym(library, getter));
    const auto result = get ? get(ZE_API_VERSION_CURRENT, &table) : ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    if (result != ZE_RESULT_SUCCESS)
        nothing(name, get ? shortResultName(result).data()
                          : "exports neither " ZETL_DEVICE_ACCESS_FUNCTION " nor a Level Zero driver's getters");
    return result == ZE_RESULT_SUCCESS;
}

/// The function, from the first of the library's drivers that has it. Prints a message and returns null if none has it.
zetl_get_device_access_t ofDriver(void* library, const char* name) {
    ze_global_dditable_t global{};
    ze_driver_dditable_t driver{};
    if (!fill(library, name, "zeGetGlobalProcAddrTable", global) ||
        !fill(library, name, "zeGetDriverProcAddrTable", driver))
        return nullptr;
    std::uint32_t count = 0;
    auto result = global.pfnInit ? global.pfnInit(0) : ZE_RESULT_ERROR_UNINITIALIZED;
    if (result == ZE_RESULT_SUCCESS) result = driver.pfnGet(&count, nullptr);
    std::vector<ze_driver_handle_t> drivers(count);
    if (result == ZE_RESULT_SUCCESS) result = driver.pfnGet(&count, drivers.data());
    if (result != ZE_RESULT_SUCCESS) {
        nothing(name, shortResultName(result).data());
        return nullptr;
    }
    for (auto* const each : drivers) {
        void* found = nullptr;
        if (driver.pfnGetExtensionFunctionAddress(each, ZETL_DEVICE_ACCESS_FUNCTION, &found) == ZE_RESULT_SUCCESS)
            return reinterpret_cast<zetl_get_device_access_t>(found);
    }
    nothing(name, "none of its drivers offers " ZETL_DEVICE_ACCESS_FUNCTION);
    return nullptr;
}

int check(const char* name) {
    void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library) return nothing(name, dlerror());
    auto get = reinterpret_cast<zetl_get_device_access_t>(dlsym(library, ZETL_DEVICE_ACCESS_FUNCTION));
    if (!get) get = ofDriver(library, name);
    if (!get) return kNothing;
    const auto* access = get(ZETL_DEVICE_ACCESS_VERSION);
    auto findings = violations(access);
    if (findings.empty()) findings = behaviourViolations(*access);
    for (const auto& finding : findings) std::printf("%s\n", finding.c_str());
    std::printf("%s: %zu findings\n", name, findings.size());
    return findings.empty() ? kConforms : kFindings;
}

}  // namespace
}  // namespace zetl::device

int main(int count, char** arguments) {
    if (count == 2) return zetl::device::check(arguments[1]);
    std::fputs("usage: zetl_check_provider LIBRARY\n", stderr);
    return 2;
}
