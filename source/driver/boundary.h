// The edge between C callers and the driver: every exported function goes through one of the templates below.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <new>

#include "base/result.h"
#include "driver/live_set.h"
#include "driver/refusal.h"

namespace zetl::driver {

namespace detail {
/// The reason why no call can be served: UNINITIALIZED before zeInit, DEVICE_LOST in a forked child, else SUCCESS.
Status admission() noexcept;
/// Returns `code` if the function may return it; otherwise logs the breach and returns UNKNOWN.
Status checkedCode(Status code, std::initializer_list<Status> extra) noexcept;
/// Maps the exception being handled to a code.
Status codeOfException() noexcept;
}  // namespace detail

/// For a function that other code serves behind the driver's entry: notes it as the calling thread's current one, and
/// returns the reason why it cannot be served, or SUCCESS.
inline Status admitted(const char* function) noexcept {
    currentFunction() = function;
    return detail::admission();
}

/// Pointers that the specification declares mandatory.
using Required = std::initializer_list<const void*>;

/// Runs `body` as the implementation of `function`. Exceptions become codes. A code outside the specification's general
/// set and `Extra` is logged and becomes UNKNOWN, since callers cannot be prepared for it.
template <ze_result_t... Extra, class F>
ze_result_t boundary(const char* function, F&& body) noexcept {
    currentFunction() = function;
    try {
        if (const Status refused = detail::admission(); refused != ZE_RESULT_SUCCESS) return refused;
        return detail::checkedCode(body(), {Extra...});
    } catch (...) {
        return detail::codeOfException();
    }
}

/// The object behind `handle`, or INVALID_NULL_HANDLE: the specification's code for "handle argument is not valid".
template <class T>
Result<std::shared_ptr<T>> find(typename T::Handle handle) {
    if (!handle) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (auto object = live<T>().find(handle)) return object;
    return refuse(ZE_RESULT_ERROR_INVALID_NULL_HANDLE,
                  "handle {} is not a live {}: it was destroyed, belongs to another driver, or is of another type",
                  static_cast<const void*>(handle), T::kNoun);
}

/// INVALID_NULL_POINTER if one of `pointers` is null.
inline Status present(Required pointers) {
    return std::find(pointers.begin(), pointers.end(), nullptr) == pointers.end()
               ? ZE_RESULT_SUCCESS
               : ZE_RESULT_ERROR_INVALID_NULL_POINTER;
}

/// boundary() for a function whose first argument is a handle: `body` gets the live object. The specification's order
/// of checks is kept: initialisation, handle, mandatory pointers.
template <class T, ze_result_t... Extra, class F>
ze_result_t onObject(const char* function, typename T::Handle handle, Required pointers, F&& body) noexcept {
    return boundary<Extra...>(function, [&]() -> Status {
        const auto object = find<T>(handle);
        if (!object) return object.code();
        if (const Status missing = present(pointers); missing != ZE_RESULT_SUCCESS) return missing;
        return body(**object);
    });
}

/// boundary() for a function that destroys the object behind its handle. Takes the object out of the live set first, so
/// that one of two concurrent destructions is refused. `body` gets the owner.
template <class T, ze_result_t... Extra, class F>
ze_result_t onRemoval(const char* function, typename T::Handle handle, F&& body) noexcept {
    return boundary<Extra...>(function, [&]() -> Status {
        if (const auto object = find<T>(handle); !object) return object.code();
        const auto owner = live<T>().remove(handle);
        return owner ? body(*owner) : ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    });
}

}  // namespace zetl::driver
