// What zetl was asked for cannot be done; nothing was run.
#pragma once

#include <stdexcept>

namespace zetl::command {

/// Exit code 2, with the words on standard error.
struct UsageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace zetl::command
