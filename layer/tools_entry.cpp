#include "tools_entry.h"

#include <atomic>
#include <memory>
#include <new>

#include "base/never_destroyed.h"
#include "log_channel.h"

namespace zetl::layer {
namespace {

NeverDestroyed<tools::Switches> allOff;  // made at load, so that a fork does not meet its guard half made

}  // namespace

/// Threads that ask at the same time each read the variables, and the first result stays: a child forked meanwhile
/// would wait for a thread that it does not have.
const tools::Switches& toolsSwitches() noexcept try {
    static constinit std::atomic<const tools::Switches*> published{nullptr};
    const tools::Switches* switches = published.load(std::memory_order_acquire);
    if (switches) return *switches;
    auto read = std::make_unique<const tools::Switches>(tools::readSwitches());
    return published.compare_exchange_strong(switches, read.get(), std::memory_order_acq_rel) ? *read.release()
                                                                                              : *switches;
} catch (const std::bad_alloc&) {
    log::error(kLog, "the environment cannot be read: the host is out of memory; tools are off for this call");
    return *allOff;
}

ze_result_t refused(ddi::Function function, ze_result_t code) noexcept {
    log::warn(kLog, "{}: {} is null", ddi::row(function).name,
              code == ZE_RESULT_ERROR_INVALID_NULL_HANDLE ? "a handle" : "a pointer that must be given");
    return code;
}

ze_result_t unserved(ddi::Function function) noexcept {
    if (!initialized()) {
        log::warn(kLog, "{}: called before zeInit", ddi::row(function).name);
        return ZE_RESULT_ERROR_UNINITIALIZED;
    }
    log::warn(kLog, "{}: neither the driver nor a module implements it for this object", ddi::row(function).name);
    return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
}

}  // namespace zetl::layer
