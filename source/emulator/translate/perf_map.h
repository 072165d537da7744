// Names host code for profilers of the host, in the file in which perf looks for code that is in no file on disk.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>
#include <string>

#include "base/mutex.h"

namespace zetl::emulator::translate {

/// A named range of host code.
struct HostSymbol {
    std::uint64_t address;
    std::uint64_t bytes;
    std::string name;  ///< name of a kernel or an instruction, from its module
};

/// A process's map, `perf-PID.map` in a directory: one line per symbol, appended, since other code that is generated at
/// run time is named there as well. A child process begins its own. Thread-safe.
class PerfMap {
  public:
    explicit PerfMap(std::string directory) : directory_(std::move(directory)) {}
    ~PerfMap();
    PerfMap(const PerfMap&) = delete;
    PerfMap& operator=(const PerfMap&) = delete;

    /// False, and a warning in the log, if the file is not this user's own: anybody can put files into /tmp.
    bool add(std::span<const HostSymbol> symbols);

  private:
    bool openFile() ZETL_REQUIRES(mutex_);

    const std::string directory_;
    Mutex mutex_;
    int file_ ZETL_GUARDED_BY(mutex_) = -1;
    pid_t process_ ZETL_GUARDED_BY(mutex_) = 0;  ///< whose file that is, or who must not have one
};

/// The value of ZETL_EMULATOR_PERF_MAP.
enum class HostNames : std::uint8_t { none, kernels, lines };
HostNames wantedNames();
/// The map that perf reads.
PerfMap& perfMap();

}  // namespace zetl::emulator::translate
