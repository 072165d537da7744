// The functions of Level Zero that device activity itself calls, from the loader of this process. Within a traced call
// they reach the driver untraced.
#pragma once

#include <ze_tools_layer/level_zero.h>

#include <string>

namespace zetl::activity {

struct LevelZero {
    decltype(&zeDeviceGetProperties) deviceGetProperties = nullptr;
    decltype(&zeDeviceGetGlobalTimestamps) deviceGetGlobalTimestamps = nullptr;
    decltype(&zeKernelGetProperties) kernelGetProperties = nullptr;
    decltype(&zeEventPoolCreate) eventPoolCreate = nullptr;
    decltype(&zeEventPoolDestroy) eventPoolDestroy = nullptr;
    decltype(&zeEventCreate) eventCreate = nullptr;
    decltype(&zeEventDestroy) eventDestroy = nullptr;
    decltype(&zeEventHostReset) eventHostReset = nullptr;
    decltype(&zeEventQueryStatus) eventQueryStatus = nullptr;
    decltype(&zeEventQueryKernelTimestamp) eventQueryKernelTimestamp = nullptr;
    decltype(&zeCommandListAppendBarrier) commandListAppendBarrier = nullptr;
    decltype(&zeCommandListAppendEventReset) commandListAppendEventReset = nullptr;
    decltype(&zeCommandListAppendQueryKernelTimestamps) commandListAppendQueryKernelTimestamps = nullptr;
    decltype(&zeMemAllocHost) memAllocHost = nullptr;
    decltype(&zeMemFree) memFree = nullptr;
    decltype(&zeDriverGet) driverGet = nullptr;
    decltype(&zeDeviceGet) deviceGet = nullptr;
    decltype(&zeDriverGetExtensionFunctionAddress) driverGetExtensionFunctionAddress = nullptr;
    ze_result_t(ZE_APICALL* tracerSetResult)(ze_result_t) = nullptr;  ///< the layer's zetlTracerSetResult

    /// Returns false, and the name of the missing part, if the process has no loader, or one that lacks a function.
    bool find(void* layer, std::string& missing);
    /// A function that this loader may lack: the loader's own, or that of the first driver that has it; null if none
    /// has. Drivers answer once they are initialized.
    template <class F>
    F later(const char* name) const {
        return reinterpret_cast<F>(addressOf(name));
    }

  private:
    void* addressOf(const char* name) const;
};

}  // namespace zetl::activity
