// Finds out whether a stream still has work before the next submission.
#pragma once

#include <cuda.h>

#include <array>
#include <cstddef>

namespace zetl::nvidia {

/// Checks marks behind its commands: CUDA events without a time, which cost the device nothing. The functions expect
/// the stream's context to be current. Not thread-safe.
class Backlog {
  public:
    /// Call it behind a command.
    void mark(CUstream stream) noexcept;
    /// True if the last but one mark has not been passed yet: all of the last command is still to be done, which takes
    /// the device longer than the host needs to submit another.
    bool isLong() const noexcept;
    void destroy() noexcept;

  private:
    struct Mark {
        CUevent event = nullptr;
        bool set = false;
    };
    std::array<Mark, 2> marks_;  ///< used in turn
    std::size_t next_ = 0;
};

}  // namespace zetl::nvidia
