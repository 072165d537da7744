// The common part of all Level Zero objects of a driver: the handle, the first words, and shared ownership.
#pragma once

#include <memory>

#include "base/handle_head.h"
#include "driver/tables.h"

namespace zetl::driver {

/// Base of the object behind a handle of type H.
///
/// A handle is the object's address, and the object begins with the words that loaders read there (base/handle_head.h).
/// Derived must therefore have no virtual functions, which LiveSet checks. Objects are owned by their LiveSet and by
/// the work that still uses them: commands in flight keep events, memory and kernels alive after the application has
/// destroyed the handle.
template <class Derived, class H>
class Object : public RoutedObject<Derived, H>, public std::enable_shared_from_this<Derived> {
  public:
    Object() noexcept : RoutedObject<Derived, H>(tablesOfHandles()) {}
};

}  // namespace zetl::driver
