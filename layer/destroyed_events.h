// zeEventDestroy, heard by the modules that signal events of the application.
#pragma once

#include "ddi/route.h"

namespace zetl::layer {

/// Puts ours before `held`, the function below: where a loader wraps handles nobody else knows that the event is gone.
ddi::Address withDestroyedEventsTold(ddi::Address held) noexcept;

}  // namespace zetl::layer
