// The first words of the handles our modules invent.
#pragma once

#include <array>

#include "base/handle.h"

namespace zetl {

/// From 1.24 on the stock loader may find the tables that serve a handle in the first words of the object behind it
/// (ZE_extension_driver_ddi_handles): core, tools, sysman and runtime tables.
using HandleHead = std::array<const void*, 4>;

/// What new objects begin with; all null until the composition says otherwise, which it does before the first is made.
HandleHead& handleHead() noexcept;

/// HandleObject that begins with the words. Derived must have no virtual functions and this as its first base with
/// data.
template <class Derived, class H>
class RoutedObject : public HandleObject<Derived, H> {
  private:
    const HandleHead head_ = handleHead();
};

}  // namespace zetl
