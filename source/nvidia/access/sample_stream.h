// Periodic reports of a device's counters, kept until they are drained.
#pragma once

#include <ze_tools_layer/device_access.h>

#include <memory>
#include <vector>

#include "base/mutex.h"
#include "base/polling_thread.h"
#include "nvidia/access/counted_plan.h"
#include "nvidia/access/sampler.h"
#include "provider/streams.h"

namespace zetl::nvidia::access {

/// Nanoseconds between a stream's reports: at this rate one thread can still decode a group of ten counters without
/// loss.
inline constexpr std::uint64_t kShortestPeriod = 100'000;

/// A thread fetches the samples from the hardware, which drops all of them if its buffer is full. Thread-safe.
class SampleStream final : public provider::CounterStream {
  public:
    /// `options` are the granted values.
    SampleStream(CountedPlan counted, const zetl_stream_options_t& options);

    zetl_status_t start() override;
    zetl_status_t stop() override;
    std::uint64_t pending() override;
    std::uint64_t drain(std::uint64_t capacity, void* reports, zetl_report_info_t* infos, zetl_loss_t& loss) override;
    /// Unsupported.
    zetl_status_t marker(ze_command_list_handle_t list, std::uint32_t value) override;

  private:
    void fetch();
    void collect() ZETL_REQUIRES(sampling_);
    void add(const Sampler::Sample& sample);
    void append(std::uint64_t time) ZETL_REQUIRES(mutex_);
    void lose(std::uint32_t kind, std::uint64_t begin, std::uint64_t end, std::uint64_t reports) ZETL_REQUIRES(mutex_);
    std::uint64_t deviceTime(std::uint64_t real) const;

    const std::shared_ptr<Lease> lease_;
    const provider::WordPlan plan_;
    const std::uint64_t period_;
    const std::uint64_t capacity_;
    Mutex sampling_;
    Sampler sampler_ ZETL_GUARDED_BY(sampling_);
    bool running_ ZETL_GUARDED_BY(sampling_) = false;
    bool fetched_ ZETL_GUARDED_BY(sampling_) = false;  ///< by the thread
    Mutex mutex_;
    std::vector<std::uint64_t> sums_ ZETL_GUARDED_BY(mutex_);
    std::vector<std::uint64_t> times_ ZETL_GUARDED_BY(mutex_);  ///< a ring, as words_
    std::vector<std::uint64_t> words_ ZETL_GUARDED_BY(mutex_);
    std::uint64_t first_ ZETL_GUARDED_BY(mutex_) = 0;
    std::uint64_t count_ ZETL_GUARDED_BY(mutex_) = 0;
    std::uint64_t last_ ZETL_GUARDED_BY(mutex_) =
        0;  ///< end of the latest sample, device time; 0: none since the start
    zetl_loss_t loss_ ZETL_GUARDED_BY(mutex_);
    PollingThread thread_{PollingThread::makeWake()};
};

}  // namespace zetl::nvidia::access
