#include "tools_entry.h"

#include <new>

#include "base/log.h"

namespace zetl::layer {
namespace {

constexpr auto kLog = log::Module::layer;

}  // namespace

const tools::Switches& toolsSwitches() noexcept try {
    static const tools::Switches switches = tools::readSwitches();
    return switches;
} catch (const std::bad_alloc&) {
    log::error(kLog, "the environment cannot be read: the host is out of memory; tools are off for this call");
    static const tools::Switches off{};
    return off;
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
