// CUPTI's periodic sampling of a device's counters (PM sampling).
#pragma once

#include <ze_tools_layer/device_access.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "nvidia/cupti/counter_data.h"

namespace zetl::nvidia::access {

/// One session, from start() to the end of the object. Not thread-safe.
class Sampler {
  public:
    /// The host time (CLOCK_REALTIME) of a sample's interval, and the counts in it.
    struct Sample {
        std::uint64_t begin;
        std::uint64_t end;
        const std::uint64_t* counts;
    };
    using Take = std::function<void(const Sample&)>;

    Sampler(std::size_t device, const std::string& chip, std::vector<const char*> names,
            std::vector<std::uint8_t> configuration, std::uint64_t period);
    ~Sampler();
    Sampler(const Sampler&) = delete;
    Sampler& operator=(const Sampler&) = delete;

    /// Takes 0.1 s. Returns BUSY or NEEDS_PRIVILEGE if that is the case.
    zetl_status_t start();
    /// Passes on the available samples, oldest first. NOT_READY: the hardware's buffer overflowed, everything in it is
    /// lost, and the sampler has been restarted.
    zetl_status_t collect(const Take& take);
    /// No more samples are taken; those that were taken can still be collected.
    void stop();

  private:
    zetl_status_t configure();
    zetl_status_t decode(bool& overflow);
    zetl_status_t clear();
    void disable();

    const std::size_t device_;
    CounterReader reader_;
    std::vector<std::uint8_t> configuration_;
    const std::uint64_t period_;
    CUpti_PmSampling_Object* object_ = nullptr;
    std::vector<std::uint8_t> data_;
    std::vector<std::uint64_t> counts_;
    bool running_ = false;
    bool first_ = true;  ///< the first sample begins when the hardware was configured
};

}  // namespace zetl::nvidia::access
