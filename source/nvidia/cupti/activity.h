// CUPTI's records of what the device did for each call that launches, copies or fills.
#pragma once

#include <ze_tools_layer/device_access.h>

#include <cstdint>
#include <span>

#include "nvidia/cupti/api.h"

namespace zetl::nvidia::activity {

/// One piece of work of the device.
struct Record {
    std::uint32_t call = 0;   ///< number of the call that submitted it
    std::uint64_t begin = 0;  ///< nanoseconds of CLOCK_MONOTONIC_RAW
    std::uint64_t end = 0;    ///< 0: not known
};

/// Receives what the process does. Thread-safe; its functions make no calls of CUDA or CUPTI.
class Listener {
  public:
    virtual ~Listener() = default;
    /// On the thread that makes the call, before CUDA sees it. Every record is of a call that was told before.
    virtual void called(std::uint32_t call) noexcept = 0;
    /// On the thread that flushes, or one of CUPTI's.
    virtual void recorded(std::span<const Record> records) noexcept = 0;
};

/// Records from now on, for the rest of the process; `listener` is not released. BUSY if another tool uses CUPTI in
/// this process. Call it once.
zetl_status_t start(Listener& listener);

/// Hands out the records of the buffers in which each record is complete. With `incomplete` also the others, whose
/// records of work that has not ended stay without times.
void flush(bool incomplete) noexcept;

}  // namespace zetl::nvidia::activity
