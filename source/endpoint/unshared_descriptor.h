// A descriptor that a forked child does not keep.
#pragma once

#include <atomic>

#include "base/file_descriptor.h"

namespace zetl::endpoint {

/// Owns a descriptor whose peer takes it for this process. A forked child would hold it open without knowing, so the
/// child closes it before anything else runs there. A child keeps those beyond 256 at a time.
class UnsharedDescriptor {
  public:
    explicit UnsharedDescriptor(FileDescriptor descriptor) noexcept;
    ~UnsharedDescriptor();
    UnsharedDescriptor(const UnsharedDescriptor&) = delete;
    UnsharedDescriptor& operator=(const UnsharedDescriptor&) = delete;

    int get() const noexcept { return descriptor_; }

  private:
    const int descriptor_;
    std::atomic<int>* slot_ = nullptr;  ///< holds -1 in a child that closed it
};

}  // namespace zetl::endpoint
