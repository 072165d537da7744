// Entry points that start the driver: zeInit, zeInitDrivers.
#include "driver/start.h"
#include "emulator/driver/device/driver.h"
#include "emulator/driver/entry/start.h"
#include "emulator/driver/entry/tables.h"
#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::driver {
namespace {

ze_result_t ZE_APICALL init(ze_init_flags_t flags) noexcept {
    return starting("zeInit", [&] { return acceptInit(flags); });
}

ze_result_t ZE_APICALL initDrivers(std::uint32_t* count, ze_driver_handle_t* drivers,
                                   ze_init_driver_type_desc_t* description) noexcept {
    return starting("zeInitDrivers",
                    [&] { return listIfWanted(description, count, drivers, Driver::instance().handle()); });
}

}  // namespace

Rows globalRows() noexcept {
    static const Served rows[] = {
        ZETL_SERVES(zeInit, init),
        ZETL_SERVES(zeInitDrivers, initDrivers),
    };
    return rows;
}

}  // namespace zetl::emulator::driver
