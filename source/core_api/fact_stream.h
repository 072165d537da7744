// Reports of a device's work for this process, one per period.
#pragma once

#include <ze_tools_layer/device_access.h>
#include <ze_tools_layer/device_facts.h>

#include <map>
#include <vector>

#include "base/mutex.h"

namespace zetl::core_api {

/// A report's additional counter: commands that ended without a readable time, which are in none of the facts.
inline constexpr std::size_t kUnmeasured = activity::kFacts;
using Row = std::array<std::uint64_t, activity::kFacts + 1>;

/// Thread-safe. Times are nanoseconds of CLOCK_MONOTONIC_RAW. A command is known once it is over and read() has seen
/// that. Its work in periods whose reports were taken before goes into the next report, so that no sum lacks it.
class FactStream {
  public:
    /// `columns`: indices in a Row, in the order of the words in a report.
    FactStream(zetl_device_t device, std::vector<std::size_t> columns, const zetl_stream_options_t& options);

    zetl_device_t device() const noexcept { return device_; }

    void start(std::uint64_t now);
    void stop(std::uint64_t now);
    void took(const activity::Span& span);
    void missed(std::uint64_t commands, std::uint64_t now);

    std::uint64_t pending(std::uint64_t now);
    /// Like zetl_stream_functions_t::drain; returns the number of reports.
    std::uint64_t drain(std::uint64_t now, std::uint64_t capacity, std::uint64_t* reports, zetl_report_info_t* infos,
                        zetl_loss_t& loss);

  private:
    /// The number of periods since the start.
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
    std::uint64_t stop_ ZETL_GUARDED_BY(mutex_) = 0;  ///< 0: it runs, once started
    std::uint64_t next_ ZETL_GUARDED_BY(mutex_) = 0;  ///< the number of the next report
    std::map<std::uint64_t, Row> periods_ ZETL_GUARDED_BY(mutex_);
    Row sums_ ZETL_GUARDED_BY(mutex_){};  ///< of all periods before `next_`
    zetl_loss_t loss_ ZETL_GUARDED_BY(mutex_);
};

}  // namespace zetl::core_api
