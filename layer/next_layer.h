// The validation layer that the user wants below our layer (ZETL_NEXT_VALIDATION_LAYER).
#pragma once

#include <level_zero/ze_api.h>

#include "ddi/api.h"

namespace zetl::layer {

/// A second layer library, opened when the first table is to be filled. It sees every table before our layer does, so
/// that calls pass our entries, then its own, then the driver. Not thread-safe; never closed.
class NextLayer {
  public:
    /// Lets the other layer wrap the entries, unless our own are in the table already. If it refuses a table, only our
    /// layer wraps it.
    void offer(ddi::Table table, ze_api_version_t version, void** entries, std::size_t usable) noexcept;

  private:
    void open() noexcept;

    bool tried_ = false;
    void* library_ = nullptr;
};

}  // namespace zetl::layer
