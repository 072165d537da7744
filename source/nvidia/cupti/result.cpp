#include "nvidia/cupti/result.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "base/log.h"
#include "nvidia/cupti/api.h"

namespace zetl::nvidia {
namespace {

struct Meaning {
    CUptiResult cupti;
    zetl_status_t status;
    const char* remedy;
};

constexpr const char* kPrivilege =
    "; the driver gives counters to administrators only: run as root, or set NVreg_RestrictProfilingToAdminUsers=0 for "
    "the kernel module nvidia";
constexpr const char* kHeld = "; another profiler, perhaps of another process, holds the counters: end it first";

/// What is not here is LOST.
constexpr Meaning kMeanings[] = {
    {CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, ZETL_NEEDS_PRIVILEGE, kPrivilege},
    {CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES, ZETL_NEEDS_PRIVILEGE, kPrivilege},
    {CUPTI_ERROR_HARDWARE_BUSY, ZETL_BUSY, kHeld},
    {CUPTI_ERROR_HARDWARE, ZETL_BUSY, kHeld},
    {CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED, ZETL_BUSY, kHeld},
    {CUPTI_ERROR_NOT_SUPPORTED, ZETL_UNSUPPORTED, ""},
    {CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED, ZETL_UNSUPPORTED, ""},
    {CUPTI_ERROR_INVALID_METRIC_NAME, ZETL_GONE, ""},
    {CUPTI_ERROR_INVALID_PARAMETER, ZETL_MISUSE, ""},
};

}  // namespace

zetl_status_t checkCupti(CUptiResult result, const char* call) noexcept {
    if (result == CUPTI_SUCCESS) return ZETL_OK;
    const auto* const row = std::find_if(std::begin(kMeanings), std::end(kMeanings),
                                         [result](const Meaning& meaning) { return meaning.cupti == result; });
    const bool known = row != std::end(kMeanings);
    const char* why = nullptr;
    cupti().cuptiGetResultString(result, &why);
    const std::string_view text(call);
    log::warn(log::Channel::nvidia, "{} answers {} ({}){}", text.substr(0, text.find('(')),
              why ? why : "an unnamed error", static_cast<int>(result), known ? row->remedy : "");
    return known ? row->status : ZETL_LOST;
}

}  // namespace zetl::nvidia
