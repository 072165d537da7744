// The first words of the objects behind handles.
#pragma once

#include "base/handle.h"

namespace zetl {

/// From 1.24 on the stock loader may find the tables that serve a handle in the first words of the object behind it
/// (ZE_extension_driver_ddi_handles 1.1). The pointed-to records live as long as the process.
struct HandleHead {
    const void* core = nullptr;
    const void* tools = nullptr;
    const void* sysman = nullptr;
    const void* runtime = nullptr;
};

/// The first words of all objects of the tools modules. All are null until the composition sets them, which it does
/// before the first object is made.
HandleHead& handleHead() noexcept;

/// A HandleObject that begins with these words. Derived must have no virtual functions, and must have this as its first
/// base with data.
template <class Derived, class H>
class RoutedObject : public HandleObject<Derived, H> {
  public:
    explicit RoutedObject(const HandleHead& head = handleHead()) noexcept : head_(head) {}

  private:
    const HandleHead head_;
};

}  // namespace zetl
