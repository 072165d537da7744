// Exported functions that return one property of an object.
#pragma once

#include <functional>

#include "driver/boundary.h"

namespace zetl::driver {

/// onObject() that writes property(object) to `*out`: `property` is a lambda, or a method of T.
template <class T, class Out, class Property>
ze_result_t answer(const char* function, typename T::Handle handle, Out* out, Property property) noexcept {
    return onObject<T>(function, handle, {out}, [&](T& object) {
        *out = std::invoke(property, object);
        return ZE_RESULT_SUCCESS;
    });
}

}  // namespace zetl::driver
