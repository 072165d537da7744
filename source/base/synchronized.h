// Data that can be reached only while its lock is held.
#pragma once

#include <mutex>
#include <shared_mutex>
#include <utility>

namespace zetl {

/// Owns a T and the mutex that guards it. The T is visible only inside the function given to read() or write(),
/// which must not keep a reference to it and must not call back into the same object.
template <class T>
class Synchronized {
  public:
    Synchronized() = default;
    explicit Synchronized(T value) : value_(std::move(value)) {}
    Synchronized(const Synchronized&) = delete;
    Synchronized& operator=(const Synchronized&) = delete;

    template <class F>
    decltype(auto) read(F&& function) const {
        std::shared_lock guard(mutex_);
        return std::forward<F>(function)(static_cast<const T&>(value_));
    }
    template <class F>
    decltype(auto) write(F&& function) {
        std::unique_lock guard(mutex_);
        return std::forward<F>(function)(value_);
    }

  private:
    mutable std::shared_mutex mutex_;
    T value_{};
};

}  // namespace zetl
