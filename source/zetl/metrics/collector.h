// A process that reads the streamers of all devices while a program runs.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>

#include "environment.h"

namespace zetl::command {

struct CollectorOptions {
    std::string group;                 ///< time-based
    std::uint32_t period = 1'000'000;  ///< nanoseconds
    std::filesystem::path file;        ///< where the rows go (counter_recording.h)
};

/// Counters are the device's: what reads them needs no place in the program, sees the processes that it starts, too,
/// and loses nothing however they end. It is a child of zetl, since a driver that is opened may crash or hang.
class Collector {
  public:
    /// Returns when all streamers are open. Throws UsageError if no device has the group, std::runtime_error with the
    /// reason if there are no devices, no metrics, or they are somebody else's.
    Collector(const Installation& installation, Choice choice, const CollectorOptions& options);
    /// Without finish() the process is told to end, and waited for.
    ~Collector();
    Collector(const Collector&) = delete;
    Collector& operator=(const Collector&) = delete;

    /// Has it read what there is, and end. False, after a line on standard error, if it did not get so far.
    bool finish();

  private:
    pid_t process_ = -1;
    int stop_ = -1;  ///< closed: it is to end
};

}  // namespace zetl::command
