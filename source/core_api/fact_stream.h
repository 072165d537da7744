// Reports of what a device did for this process, one a period.
#pragma once

#include <ze_tools_layer/device_access.h>
#include <ze_tools_layer/device_facts.h>

#include <map>
#include <vector>

#include "base/mutex.h"

namespace zetl::core_api {

/// What a report counts besides the facts: commands that ended without a time that can be read, which are in no fact.
inline constexpr std::size_t kUnmeasured = activity::kFacts;
using Row = std::array<std::uint64_t, activity::kFacts + 1>;

/// Thread-safe. Times are nanoseconds of CLOCK_MONOTONIC_RAW. A command is known once it is over and somebody has
/// looked; what it did in periods whose reports were taken before belongs to the next report, so that no sum lacks it.
class FactStream {
  public:
    /// `columns`: places in a Row, in the order of the reports' words.
    FactStream(zetl_device_t device, std::vector<std::size_t> columns, const zetl_stream_options_t& options);

    zetl_device_t device() const noexcept { return device_; }

    void start(std::uint64_t now);
    void stop(std::uint64_t now);
    void took(const activity::Span& span);
    void missed(std::uint64_t commands, std::uint64_t now);

    std::uint64_t pending(std::uint64_t now);
    /// As zetl_stream_functions_t::drain; returns how many.
    std::uint64_t drain(std::uint64_t now, std::uint64_t capacity, std::uint64_t* reports, zetl_report_info_t* infos,
                        zetl_loss_t& loss);

  private:
    /// In numbers of periods since the start.
    std::uint64_t due(std::uint64_t now) const ZETL_REQUIRES(mutex_);
    std::uint64_t timeOf(std::uint64_t number) const ZETL_REQUIRES(mutex_) { return start_ + (number + 1) * period_; }
    Row& at(std::uint64_t number) ZETL_REQUIRES(mutex_);
    void pass() ZETL_REQUIRES(mutex_);
    void loseBeyondCapacity(std::uint64_t now) ZETL_REQUIRES(mutex_);

    const zetl_device_t device_;
    const std::vector<std::size_t> columns_;
    const std::uint64_t period_;
    const std::uint64_t capacity_;
    Mutex mutex_;
    std::uint64_t start_ ZETL_GUARDED_BY(mutex_) = 0;
    std::uint64_t stop_ ZETL_GUARDED_BY(mutex_) = 0;  ///< 0: it runs, if it was started
    std::uint64_t next_ ZETL_GUARDED_BY(mutex_) = 0;  ///< the number of the next report
    std::map<std::uint64_t, Row> periods_ ZETL_GUARDED_BY(mutex_);
    Row sums_ ZETL_GUARDED_BY(mutex_){};  ///< of all periods before `next_`
    zetl_loss_t loss_ ZETL_GUARDED_BY(mutex_);
};

}  // namespace zetl::core_api
