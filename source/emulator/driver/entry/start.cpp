#include "emulator/driver/entry/start.h"

#include "base/log.h"
#include "base/settings.h"
#include "emulator/driver/device/driver.h"
#include "emulator/driver/sysman/readiness.h"
#include "emulator/machine/profile.h"

namespace zetl::emulator::driver {

Status start(const char* function) noexcept {
    currentFunction() = function;
    try {
        readSysmanSwitch();
        Driver::instance();
        lifetime::initialise();
        return ZE_RESULT_SUCCESS;
    } catch (const machine::ProfileError& failure) {
        log::error(log::Channel::emulator, "{}: {}; there is no device", settings::kEmulatedDevice, failure.what());
        return ZE_RESULT_ERROR_UNINITIALIZED;
    } catch (...) {
        return detail::codeOfException();
    }
}

}  // namespace zetl::emulator::driver
