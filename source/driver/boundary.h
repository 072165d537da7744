// The edge between C callers and the driver: every exported function goes through boundary(), most of them as rows
// (driver/entry.h).
#pragma once

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <new>
#include <vector>

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

/// The objects behind `count` handles.
template <class T>
Result<std::vector<std::shared_ptr<T>>> findAll(std::uint32_t count, const typename T::Handle* handles) {
    std::vector<std::shared_ptr<T>> found;
    for (std::uint32_t i = 0; i < count; ++i) {
        auto object = find<T>(handles[i]);
        if (!object) return object.code();
        found.push_back(*std::move(object));
    }
    return found;
}

/// boundary() for a hand-written entry whose only argument is a handle: `body` gets the live object.
template <class T, class F>
ze_result_t onObject(const char* function, typename T::Handle handle, F&& body) noexcept {
    return boundary(function, [&]() -> Status {
        const auto object = find<T>(handle);
        return object ? body(**object) : object.code();
    });
}

}  // namespace zetl::driver
