// Links the tools layer itself, as pkg-config says, and calls a function that Debian 12's loader does not know.
#include <cstdint>
#include <cstdio>

#include "ze_tools_layer/level_zero.h"

int main() {
    if (zeInit(0) != ZE_RESULT_SUCCESS) {
        std::printf("linked: zeInit failed\n");
        return 1;
    }
    std::uint32_t drivers = 1;
    std::uint32_t devices = 1;
    ze_driver_handle_t driver = nullptr;
    ze_device_handle_t device = nullptr;
    if (zeDriverGet(&drivers, &driver) != ZE_RESULT_SUCCESS ||
        zeDeviceGet(driver, &devices, &device) != ZE_RESULT_SUCCESS)
        return 1;
    std::uint32_t count = 0;
    const auto result = zetMetricProgrammableGetExp(device, &count, nullptr);
    std::printf("linked: zetMetricProgrammableGetExp gives %#x\n", static_cast<unsigned int>(result));
    // Null arguments have one specified answer, whichever way the function was reached.
    return zetMetricProgrammableGetExp(nullptr, &count, nullptr) == ZE_RESULT_ERROR_INVALID_NULL_HANDLE ? 0 : 1;
}
