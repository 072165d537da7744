// Objects of a process that outlive its static destructors: the host may call us until it is gone.
#pragma once

#include <cstddef>
#include <new>
#include <utility>

namespace zetl {

/// Holds a T that is made where the holder is declared, as a static object, and never destroyed. No heap.
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
