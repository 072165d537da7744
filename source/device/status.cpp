#include "device/status.h"

#include <algorithm>
#include <iterator>
#include <new>

namespace zetl::device {
namespace {

struct Reading {
    zetl_status_t status;
    ze_result_t result;
    const char* name;
};

constexpr Reading kReadings[] = {
    {ZETL_OK, ZE_RESULT_SUCCESS, "ok"},
    {ZETL_UNSUPPORTED, ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "unsupported"},
    {ZETL_BUSY, ZE_RESULT_ERROR_NOT_AVAILABLE, "busy"},
    {ZETL_NEEDS_PRIVILEGE, ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS, "needs privilege"},
    {ZETL_NOT_READY, ZE_RESULT_NOT_READY, "not ready"},
    {ZETL_LOST, ZE_RESULT_ERROR_DEVICE_LOST, "lost"},
    {ZETL_GONE, ZE_RESULT_ERROR_NOT_AVAILABLE, "gone"},
    {ZETL_MISUSE, ZE_RESULT_ERROR_INVALID_ARGUMENT, "misuse"},
    {ZETL_NO_MEMORY, ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory"},
};
constexpr Reading kUnknown = {ZETL_MISUSE, ZE_RESULT_ERROR_UNKNOWN, "unknown status"};

const Reading& readingOf(zetl_status_t status) {
    const auto found = std::find_if(std::begin(kReadings), std::end(kReadings),
                                    [status](const Reading& reading) { return reading.status == status; });
    return found == std::end(kReadings) ? kUnknown : *found;
}

}  // namespace

ze_result_t resultOf(zetl_status_t status) noexcept { return readingOf(status).result; }

zetl_status_t answered(zetl_status_t status) {
    if (status == ZETL_NO_MEMORY) throw std::bad_alloc();
    return status;
}

const char* nameOf(zetl_status_t status) noexcept { return readingOf(status).name; }

}  // namespace zetl::device
