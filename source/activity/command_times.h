// Times of commands from a driver that records them, so that they need no events.
#pragma once

#include <ze_tools_layer/command_times.h>

#include <optional>

#include "activity/level_zero.h"

namespace zetl::activity {

/// The first driver that offers ZETL_COMMAND_TIMES_FUNCTION. Not thread-safe.
class CommandTimes {
  public:
    CommandTimes(const LevelZero& calls, bool wanted) : calls_(calls), wanted_(wanted) {}

    /// Whether kernels, copies and fills of the device are recorded: from the first call on that returns true.
    bool serves(ze_device_handle_t device);
    /// The same of each device that a pool may be for, if the application named none.
    bool servesAll();

    // Once a device is served.
    void tag(std::uint64_t tag) const { (*table_)->tag(tag); }
    std::uint32_t take(std::uint32_t capacity, zetl_command_time_t* times) const {
        return (*table_)->take(capacity, times);
    }
    void flush(bool last) const { (*table_)->flush(last ? 1 : 0); }

  private:
    bool offered();

    const LevelZero& calls_;
    const bool wanted_;
    std::optional<const zetl_command_times_t*> table_;  ///< once asked for; null: no driver has it
};

}  // namespace zetl::activity
