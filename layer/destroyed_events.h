// Lets the modules that signal events of the application see zeEventDestroy.
#pragma once

#include "ddi/route.h"

namespace zetl::layer {

/// Puts our function in front of `held`, the function below. If a loader wraps handles, there is no other way to learn
/// that the event is gone.
ddi::Address withDestroyedEventsTold(ddi::Address held) noexcept;

}  // namespace zetl::layer
