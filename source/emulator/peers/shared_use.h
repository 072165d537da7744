// How all processes of the user use a device.
#pragma once

#include <sys/types.h>

#include <memory>
#include <vector>

#include "emulator/machine/machine.h"
#include "emulator/peers/device_use.h"

namespace zetl::emulator::peers {

struct ProcessUse {
    pid_t process = 0;  ///< its pid in this process's namespace; 0 if it has none here
    DeviceUse use;
};

/// The living processes are asked, at most every few milliseconds; a process that does not answer counts as it last
/// did. Those that ended have left their sums in a file. A process is seen from its first queue on. What a process does
/// between the last question and a violent end is lost. Thread-safe.
class SharedUse {
  public:
    /// All callers in the process get the same object. If processes cannot meet, it logs a line and knows this process
    /// alone.
    static SharedUse& of(machine::Device& device);
    virtual ~SharedUse() = default;
    SharedUse(const SharedUse&) = delete;
    SharedUse& operator=(const SharedUse&) = delete;

    /// Counters since the user's session began, which never decrease; memory that living processes hold. Times of
    /// several processes add up.
    virtual DeviceUse total() = 0;
    /// The living ones, this process first.
    virtual std::vector<ProcessUse> processes() = 0;

  protected:
    SharedUse() = default;
};

}  // namespace zetl::emulator::peers
