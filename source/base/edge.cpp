#include "base/edge.h"

#include <algorithm>
#include <exception>
#include <iterator>
#include <new>
#include <system_error>

#include "base/result_name.h"

namespace zetl {
namespace {

constexpr ze_result_t kGeneralCodes[] = {
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

bool contains(std::span<const ze_result_t> codes, ze_result_t code) noexcept {
    return std::find(codes.begin(), codes.end(), code) != codes.end();
}

}  // namespace

ze_result_t passed(const Edge& edge, ze_result_t code) noexcept {
    if (code == ZE_RESULT_SUCCESS) return code;
    if (contains(kGeneralCodes, code) || contains(edge.codes, code)) {
        log::debug(edge.channel, "{} -> {}", edge.function, shortResultName(code));
        return code;
    }
    log::error(edge.channel, "{}: internal error: code {} is not one the function may return", edge.function,
               shortResultName(code));
    return ZE_RESULT_ERROR_UNKNOWN;
}

Failure failureOfException() noexcept {
    try {
        throw;
    } catch (const std::bad_alloc& failure) {
        return {ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "the host is out of memory", failure.what()};
    } catch (const std::system_error& failure) {
        const bool isShort = failure.code() == std::errc::resource_unavailable_try_again ||
                             failure.code() == std::errc::operation_not_permitted;  // from starting a thread
        return {isShort ? ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY : ZE_RESULT_ERROR_UNKNOWN,
                "the system refuses what is needed", failure.what()};
    } catch (const std::exception& failure) {
        return {ZE_RESULT_ERROR_UNKNOWN, "internal error", failure.what()};
    } catch (...) {
        return {ZE_RESULT_ERROR_UNKNOWN, "internal error", "of no known type"};
    }
}

ze_result_t codeOfException(const Edge& edge) noexcept {
    const auto [code, kind, words] = failureOfException();
    log::write(edge.channel, code == ZE_RESULT_ERROR_UNKNOWN ? log::Level::error : log::Level::warn, "{}: {}: {}",
               edge.function, kind, words);
    return code;
}

}  // namespace zetl
