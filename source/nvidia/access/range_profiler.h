// CUPTI's range profiler on one CUDA context: counts all work of the context between two moments at which the device
// has nothing to do.
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

/// What one query's ranges are counted with.
struct RangeSetup {
    std::vector<const char*> names;
    std::vector<std::uint8_t> configuration;
    std::vector<std::uint8_t> data;  ///< where CUPTI puts what it counted
};

/// Counts one range at a time. Thread-safe.
class RangeProfiler {
  public:
    /// The context's one, which exists while somebody holds it.
    static std::shared_ptr<RangeProfiler> of(CUcontext context);
    explicit RangeProfiler(CUcontext context) noexcept : context_(context) {}
    ~RangeProfiler();
    RangeProfiler(const RangeProfiler&) = delete;
    RangeProfiler& operator=(const RangeProfiler&) = delete;

    /// Waits for the device and begins to count. BUSY while a range is open, here or in another process.
    zetl_status_t begin(RangeSetup& setup);
    /// Waits for the device and ends the range that was begun.
    zetl_status_t end();
    /// Gives up the range that was begun, of a device that was lost: asks CUPTI nothing.
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
