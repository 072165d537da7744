// A running process that is recorded from outside, for `zetl trace --attach`.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>

#include "base/file_descriptor.h"
#include "run/environment.h"

namespace zetl::command {

class AttachedProcess {
  public:
    /// Has the process load the recorder and start with these settings. Throws UsageError, with cause and remedy, if it
    /// refuses or cannot be reached.
    AttachedProcess(pid_t process, const Variables& settings);

    /// Ends the recording when the user interrupts zetl, the process ends, or this time is over.
    void recordUntilEnd(std::optional<std::chrono::milliseconds> limit);

  private:
    void end() const;

    pid_t process_;
    FileDescriptor interrupted_;  ///< from before the process records, so that no interrupt ends zetl alone
    FileDescriptor socket_;
};

}  // namespace zetl::command
