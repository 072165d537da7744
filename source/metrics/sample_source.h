// Reports of instruction sampling: the samples at one instruction for one reason since the last read.
#pragma once

#include <atomic>
#include <chrono>

#include "metrics/report_source.h"

namespace zetl::metrics {

class SampleSource final : public ReportSource {
  public:
    using ReportSource::ReportSource;
    ~SampleSource() override;

    zetl_status_t start(const StreamTerms& asked) override;
    /// The number of periods since the last read, if there were samples in them: how often each thread was sampled.
    /// Samples are combined, so there are fewer reports to read.
    std::uint64_t pending() const override;
    /// The reports carry the number of lost samples, so that calculations can show it.
    ze_result_t take(std::uint64_t reports, std::size_t* size, std::uint8_t* target) override;
    ze_result_t mark(ze_command_list_handle_t list, std::uint32_t value) override;

  private:
    const zetl_sampling_functions_t& functions() const noexcept { return device().access().sampling(); }

    std::uint64_t lost_ = 0;  ///< and not reported yet
    std::atomic<std::chrono::steady_clock::time_point> taken_{};
};

}  // namespace zetl::metrics
