#include "driver/boundary.h"

#include <system_error>

#include "base/edge.h"
#include "driver/description.h"
#include "driver/lifetime.h"

namespace zetl::driver::detail {
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
    return passed({currentFunction(), description().log, {extra.begin(), extra.size()}}, code);
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
