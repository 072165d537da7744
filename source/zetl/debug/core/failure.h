// A request to the debugger that cannot be carried out. Nothing was changed.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace zetl::debugger {

/// The text is shown to the user as it is.
struct Failure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

template <class... A>
[[noreturn]] void fail(fmt::format_string<A...> format, A&&... arguments) {
    throw Failure(fmt::format(format, std::forward<A>(arguments)...));
}

}  // namespace zetl::debugger
