// Stands where the stock loader stands, and reports whatever version the test wants: for loaders that cannot be
// installed.
#include <level_zero/loader/ze_loader.h>

#include <cstring>

namespace {
zel_version_t reported{1, 32, 0};
}

extern "C" {

ZE_APIEXPORT ze_result_t ZE_APICALL zelLoaderGetVersionsInternal(std::size_t* count,
                                                                 zel_component_version_t* versions) {
    if (versions && *count > 0) {
        std::strcpy(versions->component_name, "loader");
        versions->spec_version = ZE_API_VERSION_CURRENT;
        versions->component_lib_version = reported;
    }
    *count = 1;
    return ZE_RESULT_SUCCESS;
}

ZE_APIEXPORT ze_result_t ZE_APICALL zelLoaderGetVersions(std::size_t* count, zel_component_version_t* versions) {
    return zelLoaderGetVersionsInternal(count, versions);
}

ZE_APIEXPORT void fakeLoaderReport(int major, int minor, int patch) { reported = {major, minor, patch}; }

/// Calls a layer's getter from inside this library, as a loader does.
ZE_APIEXPORT ze_result_t fakeLoaderCall(void* getter, ze_api_version_t version, void** table) {
    const auto result = reinterpret_cast<ze_result_t(ZE_APICALL*)(ze_api_version_t, void**)>(getter)(version, table);
    asm volatile("");  // keep the call from becoming a jump, which would hide who called
    return result;
}
}
