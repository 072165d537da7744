#include "driver/boundary.h"

#include <atomic>

#include "base/edge.h"
#include "driver/description.h"
#include "driver/lifetime.h"

namespace zetl::driver::detail {
Status admission() noexcept {
    if (lifetime::inForkedChild()) {
        static std::atomic<bool> told{false};  // only the first failure is an error in the log
        log::write(
            description().log, told.exchange(true) ? log::Level::warn : log::Level::error,
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
    const auto [code, kind, words] = failureOfException();
    return refuse(code, "{}: {}", kind, words);
}

}  // namespace zetl::driver::detail
