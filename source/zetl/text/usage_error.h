// A request that cannot be carried out. Nothing was run.
#pragma once

#include <stdexcept>

namespace zetl::command {

/// zetl prints the text on standard error and exits with 2.
struct UsageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace zetl::command
