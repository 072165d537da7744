// What every Level Zero object of this driver has in common: its handle, its dispatch words and shared ownership.
#pragma once

#include <memory>

#include "base/handle.h"
#include "driver/dispatch_words.h"

namespace zetl::driver {

/// Base of the object behind a handle of type H.
///
/// A handle is the object's address, and the object begins with the four table pointers that loaders from 1.24 on read
/// there (ZE_extension_driver_ddi_handles 1.1); Derived must therefore have no virtual functions, which LiveSet checks.
/// Objects are owned by their LiveSet and by whatever still works with them: commands in flight keep events, memory
/// and kernels alive after the application has destroyed the handle.
template <class Derived, class H>
class Object : public HandleObject<Derived, H>, private DispatchWords, public std::enable_shared_from_this<Derived> {
  public:
    Object() noexcept : DispatchWords(dispatchWords()) {}
};

}  // namespace zetl::driver
