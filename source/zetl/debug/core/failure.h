// What a debugger was asked for cannot be done; nothing changed.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace zetl::debugger {

/// The words are for the user, as they are.
struct Failure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

template <class... A>
[[noreturn]] void fail(fmt::format_string<A...> format, A&&... arguments) {
    throw Failure(fmt::format(format, std::forward<A>(arguments)...));
}

}  // namespace zetl::debugger
