// The value of a fallible operation inside the project: a T or the ze_result_t that explains its absence.
#pragma once

#include <level_zero/ze_api.h>

#include <cassert>
#include <utility>
#include <variant>

namespace zetl {

/// A T, or the reason why there is none. Never holds ZE_RESULT_SUCCESS as a reason.
template <class T>
class [[nodiscard]] Result {
  public:
    Result(T value) : content_(std::in_place_index<0>, std::move(value)) {}
    Result(ze_result_t reason) : content_(std::in_place_index<1>, reason) { assert(reason != ZE_RESULT_SUCCESS); }

    explicit operator bool() const noexcept { return content_.index() == 0; }
    ze_result_t code() const noexcept { return *this ? ZE_RESULT_SUCCESS : std::get<1>(content_); }

    T& operator*() & { return std::get<0>(content_); }
    const T& operator*() const& { return std::get<0>(content_); }
    T&& operator*() && { return std::get<0>(std::move(content_)); }
    T* operator->() { return &std::get<0>(content_); }
    const T* operator->() const { return &std::get<0>(content_); }

  private:
    std::variant<T, ze_result_t> content_;
};

/// An operation without a value answers with the bare code.
using Status = ze_result_t;

}  // namespace zetl
