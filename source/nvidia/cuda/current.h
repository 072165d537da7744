// Sets the CUDA context in which the calling thread works.
#pragma once

#include <cuda.h>

#include "base/result.h"

namespace zetl::nvidia {

/// Makes a context the thread's current one for the life of the object, then restores the former: the application may
/// use CUDA itself. Costs one call if the context is current already.
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
