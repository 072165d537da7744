// A descriptor that a forked child does not keep.
#pragma once

#include <atomic>

#include "base/file_descriptor.h"

namespace zetl::endpoint {

/// Owns a descriptor that means this process to whoever is at its other end: a forked child, which would hold it open
/// without knowing, closes it before anything else runs there. Beyond 256 at a time a child keeps them.
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
