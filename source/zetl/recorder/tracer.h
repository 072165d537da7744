// A tracer of the layer's, with callbacks by function name.
#pragma once

#include <dlfcn.h>
#include <level_zero/layers/zel_tracing_api.h>
#include <level_zero/layers/zel_tracing_ddi.h>
#include <level_zero/layers/zel_tracing_register_cb.h>

#include <functional>
#include <string>
#include <string_view>

#include "recorder/arguments.h"

namespace zetl::recorder {

// Every callback of the API has this shape; `result` is a ze_result_t or, for a few functions, a value.
using Callback = void (*)(Parameters parameters, std::uint64_t result, void* user, void** instance);
/// Null callbacks are none. Functions that the layer cannot register (it is older than this file) stay untraced.
using AddCallbacks = std::function<void(std::string_view function, Callback enter, Callback leave)>;

/// Makes a tracer, lets addAll add its callbacks, and enables it. It lives as long as the process.
bool trace(void* layer, const std::function<void(const AddCallbacks&)>& addAll);

}  // namespace zetl::recorder
