#include "driver/boundary.h"

#include <system_error>

#include "driver/description.h"
#include "driver/lifetime.h"

namespace zetl::driver::detail {
namespace {

/// What any function may answer (Level Zero specification, "Error Handling").
constexpr Status kGeneralCodes[] = {
    ZE_RESULT_SUCCESS,
    ZE_RESULT_ERROR_UNINITIALIZED,
    ZE_RESULT_ERROR_DEVICE_LOST,
    ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY,
    ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY,
    ZE_RESULT_ERROR_INVALID_NULL_HANDLE,
    ZE_RESULT_ERROR_INVALID_NULL_POINTER,
    ZE_RESULT_ERROR_INVALID_ARGUMENT,
    ZE_RESULT_ERROR_INVALID_ENUMERATION,
    ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION,
    ZE_RESULT_ERROR_UNSUPPORTED_FEATURE,
    ZE_RESULT_ERROR_UNSUPPORTED_VERSION,
    ZE_RESULT_ERROR_UNKNOWN,
};

bool contains(const Status* begin, const Status* end, Status code) noexcept {
    return std::find(begin, end, code) != end;
}

}  // namespace

Status admission() noexcept {
    if (lifetime::inForkedChild()) {
        log::warn(
            description().log,
            "{}: the process was forked after zeInit; the device stays with the parent. Start the child with exec",
            currentFunction());
        return ZE_RESULT_ERROR_DEVICE_LOST;
    }
    return lifetime::initialised() ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_UNINITIALIZED;
}

Status checkedCode(Status code, std::initializer_list<Status> extra) noexcept {
    if (code == ZE_RESULT_SUCCESS) return code;
    if (contains(std::begin(kGeneralCodes), std::end(kGeneralCodes), code) ||
        contains(extra.begin(), extra.end(), code)) {
        log::debug(description().log, "{} -> {}", currentFunction(), codeName(code));
        return code;
    }
    log::error(description().log, "{}: internal error: code {} is not one the function may return", currentFunction(),
               codeName(code));
    return ZE_RESULT_ERROR_UNKNOWN;
}

Status codeOfException() noexcept {
    try {
        throw;
    } catch (const std::bad_alloc&) {
        return refuse(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "the host is out of memory");
    } catch (const std::system_error& failure) {
        const bool isShort = failure.code() == std::errc::resource_unavailable_try_again ||
                             failure.code() == std::errc::operation_not_permitted;  // to start a thread
        return refuse(isShort ? ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY : ZE_RESULT_ERROR_UNKNOWN,
                      "the system refuses what is needed: {}", failure.what());
    } catch (const std::exception& failure) {
        return refuse(ZE_RESULT_ERROR_UNKNOWN, "internal error: {}", failure.what());
    } catch (...) {
        return refuse(ZE_RESULT_ERROR_UNKNOWN, "internal error");
    }
}

}  // namespace zetl::driver::detail
