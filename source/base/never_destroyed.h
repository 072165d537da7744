// Objects that outlive the static destructors of the process: the host may call us until the process is gone.
#pragma once

#include <cstddef>
#include <new>
#include <utility>

namespace zetl {

/// Holds a T. Declare the holder as a static object: the T is constructed with it, on no heap, and never destroyed.
template <class T>
class NeverDestroyed {
  public:
    template <class... A>
    explicit NeverDestroyed(A&&... arguments) {
        ::new (static_cast<void*>(storage_)) T(std::forward<A>(arguments)...);
    }
    NeverDestroyed(const NeverDestroyed&) = delete;
    NeverDestroyed& operator=(const NeverDestroyed&) = delete;

    T& operator*() noexcept { return *std::launder(reinterpret_cast<T*>(storage_)); }

  private:
    alignas(T) std::byte storage_[sizeof(T)];
};

}  // namespace zetl
