// Tags by which a tool follows commands from the call that appends them to CUDA's calls that submit them.
#pragma once

#include <cuda.h>

#include <cstdint>

#include "base/result.h"

namespace zetl::nvidia::submissions {

/// Called for each submission of a tagged command, on the thread that submits it. Thread-safe.
class Observer {
  public:
    virtual ~Observer() = default;
    /// CUDA's calls of this thread belong to the command until ends().
    virtual void begins(std::uint64_t tag) noexcept = 0;
    virtual void ends(bool good) noexcept = 0;
};

/// There is one, for the rest of the process.
void observe(Observer& observer) noexcept;

/// The tag of the commands that this thread appends; 0: none.
std::uint64_t tag() noexcept;
void setTag(std::uint64_t tag) noexcept;

/// While it lives, this thread submits a command.
class Submission {
  public:
    explicit Submission(std::uint64_t tag) noexcept;
    ~Submission();
    Submission(const Submission&) = delete;
    Submission& operator=(const Submission&) = delete;

    Status finish(Status status) noexcept {
        good_ = status == ZE_RESULT_SUCCESS;
        return status;
    }

  private:
    bool good_ = false;
};

/// Submits the work of a command.
template <class Work>
Status submit(std::uint64_t tag, CUstream stream, Work&& work) {
    if (tag == 0) return work(stream);
    Submission submission(tag);
    return submission.finish(work(stream));
}

}  // namespace zetl::nvidia::submissions
