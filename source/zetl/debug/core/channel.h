// Bytes in, bytes out: how a front end talks to the program that drives it.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace zetl::debugger {

struct Channel {
    /// The available bytes; optionally waits for them. Nothing if the other end closed.
    std::function<std::optional<std::string>(bool wait)> read;
    std::function<void(const std::string& bytes)> write;
};

/// Standard input and output.
Channel standardChannel();

}  // namespace zetl::debugger
