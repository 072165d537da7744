// zeDriverGetExtensionFunctionAddress, which also finds the layer's own functions, and functions of the loader's tables
// in such a form that calls of them are traced.
//
// An application reaches only the functions that its loader exports: loader 1.8.12 exports no registration call for
// newer functions, and no loader exports zelTracerResetAllCallbacks. Looking these names up through any driver works
// under every loader.
#pragma once

#include "ddi/route.h"

namespace zetl::layer {

/// Puts our function in front of `held`, the function below: it returns our addresses for names of tracer functions,
/// and passes other names down. For what a driver then finds it returns our table entry, if that leads to the same
/// function.
ddi::Address withOwnFunctions(ddi::Address held) noexcept;

}  // namespace zetl::layer
