// The validation layer that the user wants below ours (ZETL_NEXT_VALIDATION_LAYER).
#pragma once

#include <level_zero/ze_api.h>

#include "ddi/api.h"

namespace zetl::layer {

/// A second layer library, opened when the first table comes by. It sees every table before ours does, so that calls
/// run through our entries, then through its own, then to the driver. Not thread-safe; never closed.
class NextLayer {
  public:
    /// Lets the other layer wrap the entries, unless our own are in the table already. A table it refuses is left to
    /// us.
    void offer(ddi::Table table, ze_api_version_t version, void** entries, std::size_t usable) noexcept;

  private:
    void open() noexcept;

    bool tried_ = false;
    void* library_ = nullptr;
};

}  // namespace zetl::layer
