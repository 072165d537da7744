// A process that reads the streamers of all devices while a program runs.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>

#include "run/environment.h"

namespace zetl::command {

class PrometheusSocket;  // prometheus_server.h

struct CollectorOptions {
    std::string group;                             ///< time-based
    std::uint32_t period = 1'000'000;              ///< nanoseconds
    std::filesystem::path file;                    ///< for the rows (recording/counters.h)
    const PrometheusSocket* prometheus = nullptr;  ///< also answers there
};

/// Counters belong to the device, so the reader is not part of the program. It also sees the processes that the program
/// starts, and loses nothing however they end. It is a child of zetl, because a driver may crash or hang.
class Collector {
  public:
    /// Returns when all streamers are open. Throws UsageError if no device has the group, and std::runtime_error with
    /// the reason if there are no devices or no metrics, or the metrics are in use.
    Collector(const Installation& installation, Choice choice, const CollectorOptions& options);
    /// Without finish(), ends the process and waits for it.
    ~Collector();
    Collector(const Collector&) = delete;
    Collector& operator=(const Collector&) = delete;

    /// Reads the remaining reports and ends the process. False, with a line on standard error, if that failed.
    bool finish();

  private:
    pid_t process_ = -1;
    int stop_ = -1;  ///< closing it ends the process
};

}  // namespace zetl::command
