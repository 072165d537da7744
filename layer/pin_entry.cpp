// Program instrumentation: debug information and profiling data of modules and kernels.
// Every function checks its arguments and delegates (tools_entry.h).
#include "tools_entry.h"

using zetl::ddi::Function;
using zetl::layer::serve;

extern "C" {

ze_result_t ZE_APICALL zetModuleGetDebugInfo(zet_module_handle_t hModule, zet_module_debug_info_format_t format,
                                             std::size_t* pSize, std::uint8_t* pDebugInfo) {
    return serve<Function::zetModuleGetDebugInfo>(hModule, format, pSize, pDebugInfo);
}

ze_result_t ZE_APICALL zetKernelGetProfileInfo(zet_kernel_handle_t hKernel,
                                               zet_profile_properties_t* pProfileProperties) {
    return serve<Function::zetKernelGetProfileInfo>(hKernel, pProfileProperties);
}

}  // extern "C"
