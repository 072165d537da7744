// Refuses a request: with a documented code, a log line, and the text of zeDriverGetLastErrorDescription.
#pragma once

#include <fmt/core.h>
#include <level_zero/ze_api.h>

#include "base/log.h"

namespace zetl::driver {

namespace detail {
void rememberRefusal(log::Level level, fmt::string_view format, fmt::format_args arguments) noexcept;
}

/// Logs the message as a warning, keeps it as the calling thread's last error, and returns `code`. The message names
/// the value, the reason and the remedy; the boundary adds the function's name.
template <class... A>
[[nodiscard]] ze_result_t refuse(ze_result_t code, fmt::format_string<A...> format, A&&... arguments) noexcept {
    detail::rememberRefusal(log::Level::warn, format, fmt::make_format_args(arguments...));
    return code;
}

/// The same for a question whose answer may well be no, such as whether a function or a range is known. Programs ask it
/// again and again, so it is not logged as a warning.
template <class... A>
[[nodiscard]] ze_result_t refuseProbe(ze_result_t code, fmt::format_string<A...> format, A&&... arguments) noexcept {
    detail::rememberRefusal(log::Level::info, format, fmt::make_format_args(arguments...));
    return code;
}

/// The calling thread's last refusal as text, empty if there was none; valid until the thread's next refusal.
const char* lastRefusal() noexcept;

/// The specification's name of a result code, without prefix; "unlisted" for an unknown value.
const char* codeName(ze_result_t code) noexcept;

/// The exported function that the calling thread is in. The boundary sets it; messages use it.
const char*& currentFunction() noexcept;

}  // namespace zetl::driver
