// Samples of the places where a process's warps spend their time on a device, kept until they are drained.
#pragma once

#include <ze_tools_layer/device_access.h>

#include <map>
#include <memory>
#include <tuple>

#include "base/mutex.h"
#include "base/polling_thread.h"
#include "nvidia/access/code_places.h"
#include "nvidia/access/lease.h"
#include "nvidia/cupti/instruction_sampler.h"
#include "provider/sampling.h"

namespace zetl::nvidia::access {

/// A thread takes the samples that CUPTI has fetched. Thread-safe.
class InstructionStream final : public provider::InstructionStream {
  public:
    /// `options` hold the requested values, and then the granted ones.
    InstructionStream(std::shared_ptr<Lease> lease, zetl_stream_options_t& options);

    zetl_status_t start();
    std::uint64_t pending() override;
    /// Writes up to `capacity` samples and forgets them. Returns their number; with capacity 0, the number available.
    std::uint64_t drain(std::uint64_t capacity, zetl_sample_t* samples, zetl_loss_t& loss) override;

  private:
    struct Place {
        std::uint64_t address;
        std::uint32_t reason;
        bool operator<(const Place& other) const noexcept {
            return std::tie(address, reason) < std::tie(other.address, other.reason);
        }
    };

    void fetch();
    void collect();
    void add(const InstructionSampler::Sample& sample) ZETL_REQUIRES(mutex_);
    void lose(std::uint64_t looks) ZETL_REQUIRES(mutex_);
    std::uint64_t now() const;

    const std::shared_ptr<Lease> lease_;
    Mutex mutex_;
    InstructionSampler sampler_ ZETL_GUARDED_BY(mutex_);
    CodePlaces code_ ZETL_GUARDED_BY(mutex_);
    bool running_ ZETL_GUARDED_BY(mutex_) = false;
    std::map<Place, std::uint64_t> counts_ ZETL_GUARDED_BY(mutex_);
    std::uint64_t looks_ ZETL_GUARDED_BY(mutex_) = 0;  ///< the counts' sum
    std::uint64_t lost_ ZETL_GUARDED_BY(mutex_) = 0;   ///< UINT64_MAX: unknown
    std::uint64_t since_ ZETL_GUARDED_BY(mutex_) = 0;  ///< device time
    PollingThread thread_{PollingThread::makeWake()};
};

}  // namespace zetl::nvidia::access
