// A value or the reason why there is none: the common part of Result and similar types.
#pragma once

#include <utility>
#include <variant>

namespace zetl {

template <class T, class Reason>
class [[nodiscard]] Expected {
  public:
    Expected(T value) : content_(std::in_place_index<0>, std::move(value)) {}
    Expected(Reason reason) : content_(std::in_place_index<1>, std::move(reason)) {}

    explicit operator bool() const noexcept { return content_.index() == 0; }

    // Only if there is a value.
    T& operator*() & { return std::get<0>(content_); }
    const T& operator*() const& { return std::get<0>(content_); }
    T&& operator*() && { return std::get<0>(std::move(content_)); }
    T* operator->() { return &std::get<0>(content_); }
    const T* operator->() const { return &std::get<0>(content_); }

  protected:
    /// Only if there is no value.
    const Reason& reason() const { return std::get<1>(content_); }

  private:
    std::variant<T, Reason> content_;
};

}  // namespace zetl
