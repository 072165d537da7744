// The functions of Level Zero that device activity itself calls, from the loader of this process. Within a traced call
// they reach the driver untraced.
#pragma once

#include <ze_tools_layer/level_zero.h>

#include <string>

namespace zetl::activity {

struct LevelZero {
    decltype(&zeDeviceGetProperties) deviceGetProperties = nullptr;
    decltype(&zeDeviceGetGlobalTimestamps) deviceGetGlobalTimestamps = nullptr;
    decltype(&zeEventPoolCreate) eventPoolCreate = nullptr;
    decltype(&zeEventPoolDestroy) eventPoolDestroy = nullptr;
    decltype(&zeEventCreate) eventCreate = nullptr;
    decltype(&zeEventDestroy) eventDestroy = nullptr;
    decltype(&zeEventHostReset) eventHostReset = nullptr;
    decltype(&zeEventQueryStatus) eventQueryStatus = nullptr;
    decltype(&zeEventQueryKernelTimestamp) eventQueryKernelTimestamp = nullptr;
    decltype(&zeCommandListGetGraphExt) commandListGetGraph = nullptr;  ///< null: the loader knows no graphs
    ze_result_t(ZE_APICALL* tracerSetResult)(ze_result_t) = nullptr;    ///< the layer's zetlTracerSetResult

    /// Returns false, and the name of the missing part, if the process has no loader, or one that lacks a function.
    bool find(void* layer, std::string& missing);
};

}  // namespace zetl::activity
