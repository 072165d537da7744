#include "emulator/driver/sysman/readiness.h"

#include <atomic>

#include "base/settings.h"
#include "driver/refusal.h"
#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::driver {
namespace {

constinit std::atomic<bool> started{false};

bool switchedOn() noexcept {
    static const bool on = settings::enabled(settings::kSysman);
    return on;
}

}  // namespace

void readSysmanSwitch() noexcept { switchedOn(); }

void startSysman() noexcept { started.store(true, std::memory_order_relaxed); }

Status sysmanAnswers() {
    if (started.load(std::memory_order_relaxed) || switchedOn()) return ZE_RESULT_SUCCESS;
    return refuse(ZE_RESULT_ERROR_UNINITIALIZED, "sysman is off; call zesInit, or set {}=1 before zeInit",
                  settings::kSysman);
}

Status sysmanStarted() {
    if (started.load(std::memory_order_relaxed)) return ZE_RESULT_SUCCESS;
    return refuse(ZE_RESULT_ERROR_UNINITIALIZED, "sysman was not started; call zesInit first");
}

}  // namespace zetl::emulator::driver
