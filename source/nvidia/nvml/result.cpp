#include "nvidia/nvml/result.h"

#include <string_view>

#include "driver/refusal.h"
#include "nvidia/nvml/api.h"

namespace zetl::nvidia {
namespace {

Status meaningOf(int error) noexcept {
    switch (error) {
        case kNvmlNotSupported:
            return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
        case kNvmlNoPermission:
            return ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS;
        case kNvmlLost:
            return ZE_RESULT_ERROR_DEVICE_LOST;
        default:
            return ZE_RESULT_ERROR_UNKNOWN;
    }
}

}  // namespace

Status checkNvml(int error, const char* call) noexcept {
    if (error == 0) return ZE_RESULT_SUCCESS;
    const std::string_view text(call);
    return driver::refuse(meaningOf(error), "{} answers {}: {}", text.substr(0, text.find('(')), error,
                          nvml().nvmlErrorString(error));
}

}  // namespace zetl::nvidia
