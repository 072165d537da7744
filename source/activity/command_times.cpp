#include "activity/command_times.h"

#include <array>

namespace zetl::activity {

bool CommandTimes::offered() {
    if (!wanted_) return false;
    if (!table_) {
        const auto get = calls_.later<zetl_get_command_times_t>(ZETL_COMMAND_TIMES_FUNCTION);
        table_ = get ? get() : nullptr;
    }
    return *table_ != nullptr;
}

bool CommandTimes::serves(ze_device_handle_t device) { return offered() && (*table_)->serves(device) != 0; }

bool CommandTimes::servesAll() {
    if (!offered()) return false;
    constexpr std::uint32_t kMost = 64;
    std::array<ze_driver_handle_t, 2> drivers{};
    std::array<ze_device_handle_t, kMost> devices{};
    std::uint32_t driverCount = 2;
    if (calls_.driverGet(&driverCount, drivers.data()) != ZE_RESULT_SUCCESS || driverCount != 1) return false;
    std::uint32_t count = kMost;
    if (calls_.deviceGet(drivers[0], &count, devices.data()) != ZE_RESULT_SUCCESS) return false;
    for (std::uint32_t i = 0; i < count; ++i)
        if (!serves(devices[i])) return false;
    return count > 0;
}

}  // namespace zetl::activity
