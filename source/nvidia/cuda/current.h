// Which CUDA context the calling thread works in.
#pragma once

#include <cuda.h>

#include "base/result.h"

namespace zetl::nvidia {

/// Makes a context the thread's current one for the life of the object and restores the former: the application may use
/// CUDA itself. Costs one call where the context is current anyway.
class Current {
  public:
    explicit Current(CUcontext context) noexcept;
    ~Current();
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;

  private:
    bool pushed_ = false;
};

}  // namespace zetl::nvidia
