/// @file
/// Counters in the text format that Prometheus reads.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "recording/counters.h"

namespace zetl::command {

/// Sums of all reports, so that a server may read as seldom as it likes and lose nothing. Both functions may be called
/// from different threads.
class PrometheusMetrics {
  public:
    explicit PrometheusMetrics(const std::vector<CounterSource>& sources);

    void add(const CounterRow& row);
    /// One family per counter, with its sum and the number of reports, by device and tile.
    std::string text() const;

  private:
    struct Series {
        std::size_t source;
        std::size_t column;
    };
    struct Family {
        std::string name;  // "zetl_GpuBusy"
        std::string help;
        std::vector<Series> series;
    };
    struct Totals {
        std::string labels;  // of its source
        std::vector<double> sums;
        std::uint64_t reports = 0;
        std::uint64_t lost = 0;
    };
    Family& familyOf(const CounterColumn& column, std::size_t source);

    std::vector<Family> families_;
    mutable std::mutex mutex_;
    std::vector<Totals> totals_;  // by source
};

}  // namespace zetl::command
