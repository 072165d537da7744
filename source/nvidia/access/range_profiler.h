// CUPTI's range profiler on one CUDA context: counts all work of the context between two moments at which the device is
// idle.
#pragma once

#include <cuda.h>
#include <ze_tools_layer/device_access.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/mutex.h"
#include "nvidia/cupti/api.h"

namespace zetl::nvidia::access {

/// CUPTI's data for the ranges of one query.
struct RangeSetup {
    std::vector<const char*> names;
    std::vector<std::uint8_t> configuration;
    std::vector<std::uint8_t> data;  ///< where CUPTI puts its counts
};

/// Counts one range at a time. Thread-safe.
class RangeProfiler {
  public:
    /// The context's only profiler, which exists while it is held.
    static std::shared_ptr<RangeProfiler> of(CUcontext context);
    explicit RangeProfiler(CUcontext context) noexcept : context_(context) {}
    ~RangeProfiler();
    RangeProfiler(const RangeProfiler&) = delete;
    RangeProfiler& operator=(const RangeProfiler&) = delete;

    /// Waits for the device and begins to count. BUSY while a range is open, here or in another process.
    zetl_status_t begin(RangeSetup& setup);
    /// Waits for the device and ends the range.
    zetl_status_t end();
    /// Gives up the range of a lost device, without calling CUPTI.
    void abandon();
    /// Decodes the range that ended into the data of its setup.
    zetl_status_t decode();

  private:
    zetl_status_t enable() ZETL_REQUIRES(mutex_);
    zetl_status_t prepare(RangeSetup& setup) ZETL_REQUIRES(mutex_);
    void stop() ZETL_REQUIRES(mutex_);

    const CUcontext context_;
    Mutex mutex_;
    CUpti_RangeProfiler_Object* object_ ZETL_GUARDED_BY(mutex_) = nullptr;
    bool open_ ZETL_GUARDED_BY(mutex_) = false;
};

}  // namespace zetl::nvidia::access
