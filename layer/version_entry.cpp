// The layer's entry in the list of zelLoaderGetVersions.
#include <level_zero/loader/ze_loader.h>

#include <cstring>

#include "ddi/table_size.h"

namespace {

constexpr char kName[] = "ze-tools-layer";
constexpr auto kSpecification = ZE_MAKE_VERSION(1, zetl::ddi::kNewestMinor);

}  // namespace

extern "C" ZE_APIEXPORT ze_result_t ZE_APICALL zelLoaderGetVersion(zel_component_version_t* version) {
    if (!version) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    *version = {};
    std::memcpy(version->component_name, kName, sizeof kName);
    version->spec_version = static_cast<ze_api_version_t>(kSpecification);
    version->component_lib_version = {ZETL_VERSION_MAJOR, ZETL_VERSION_MINOR, ZETL_VERSION_PATCH};
    return ZE_RESULT_SUCCESS;
}
