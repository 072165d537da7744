// Level Zero handles and the objects behind them: the only casts between the two in the tree.
#pragma once

#include <type_traits>

namespace zetl {

/// Base of an object that a handle H (such as ze_event_handle_t) denotes. The C header's opaque struct is the empty
/// type behind H; Derived is reached through it without the caller seeing a cast. Objects are neither copied nor moved.
template <class Derived, class H>
class HandleObject {
  public:
    using Handle = H;
    HandleObject() = default;
    HandleObject(const HandleObject&) = delete;
    HandleObject& operator=(const HandleObject&) = delete;

    H handle() noexcept { return reinterpret_cast<H>(static_cast<Derived*>(this)); }
    static Derived* from(H handle) noexcept { return reinterpret_cast<Derived*>(handle); }
};

}  // namespace zetl
