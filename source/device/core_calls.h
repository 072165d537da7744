// The few core functions that the modules call, as the composition found them.
#pragma once

#include <ze_tools_layer/level_zero.h>

namespace zetl::device {

/// Functions of the driver, or of the next layer, that accept the handles that the modules get. A null one is missing;
/// features that need it are then unsupported.
struct CoreCalls {
    decltype(&zeDeviceGetProperties) deviceGetProperties = nullptr;
    decltype(&zeEventHostSignal) eventHostSignal = nullptr;
    decltype(&zeEventQueryStatus) eventQueryStatus = nullptr;
    decltype(&zeCommandListAppendBarrier) commandListAppendBarrier = nullptr;
    decltype(&zeCommandListIsImmediate) commandListIsImmediate = nullptr;
    decltype(&zeKernelGetName) kernelGetName = nullptr;
};

}  // namespace zetl::device
