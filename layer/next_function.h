// The layer's own calls: they go past its own functions, untraced.
#pragma once

#include "ddi/route.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::layer {

template <ddi::Function F, class T>
T* nextFunction(T*) noexcept {
    return reinterpret_cast<T*>(ddi::route(F).next());
}

/// The next function in the chain, by its own type; null if nothing below the layer has it.
#define ZETL_NEXT(function) \
    ::zetl::layer::nextFunction<::zetl::ddi::Function::function>(static_cast<decltype(&function)>(nullptr))

}  // namespace zetl::layer
