#include "driver/refusal.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/result_name.h"
#include "driver/description.h"

namespace zetl::driver {
namespace {

/// Plain storage: it must stay usable in static destructors, after thread_local objects are gone.
thread_local std::array<char, 512> lastText{};
thread_local const char* functionName = "";

}  // namespace

namespace detail {

void rememberRefusal(log::Level level, fmt::string_view format, fmt::format_args arguments) noexcept {
    try {
        const auto room = lastText.size() - 1;
        const auto written = fmt::vformat_to_n(lastText.data(), room, format, arguments);
        lastText[std::min(written.size, room)] = '\0';
    } catch (...) {
        lastText[0] = '\0';
    }
    log::write(description().log, level, "{}: {}", functionName, lastText.data());
}

}  // namespace detail

const char* lastRefusal() noexcept { return lastText.data(); }

const char*& currentFunction() noexcept { return functionName; }

const char* codeName(ze_result_t code) noexcept { return shortResultName(code).data(); }

}  // namespace zetl::driver
