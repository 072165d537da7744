// zeDriverGetExtensionFunctionAddress, answering for the layer's own functions too.
//
// An application reaches only what its loader exports: under loader 1.8.12 no registration call for newer functions,
// and under none zelTracerResetAllCallbacks. Asking any driver for these names works under every loader.
#pragma once

#include "ddi/route.h"

namespace zetl::layer {

/// Puts our answer before `held`, the function below: what is asked for by a tracer function's name is ours, the rest
/// goes down.
ddi::Address withOwnFunctions(ddi::Address held) noexcept;

}  // namespace zetl::layer
